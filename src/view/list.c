/* SPDX-License-Identifier: BSD-2-Clause */
/* list.c - rows of which one is chosen and some are on the screen. */
#include "view/list.h"

#define WHEEL 3

void syc_list_fit(struct syc_list *list, size_t n, int y, int height)
{
	const size_t lines = height > 0 ? (size_t)height : 0;

	list->n = n;
	list->y = y;
	list->height = height;
	if (list->chosen >= n)
		list->chosen = n > 0 ? n - 1 : 0;
	if (list->top > list->chosen)
		list->top = list->chosen;
	if (lines > 0 && list->chosen >= list->top + lines)
		list->top = list->chosen - lines + 1;
	if (list->top + lines > n)
		list->top = n > lines ? n - lines : 0;
}

int syc_list_lines(const struct syc_list *list)
{
	const size_t left = list->n - list->top;

	return list->height > 0 && left > (size_t)list->height ? list->height
	       : list->height > 0                              ? (int)left
	                                                       : 0;
}

static void move(struct syc_list *list, long by)
{
	if (by < 0)
		list->chosen -=
			list->chosen < (size_t)-by ? list->chosen : (size_t)-by;
	else if (list->n > 0 && list->n - 1 - list->chosen < (size_t)by)
		list->chosen = list->n - 1;
	else if (list->n > 0)
		list->chosen += (size_t)by;
}

static enum syc_list_took click(struct syc_list *list, int y)
{
	const size_t row = list->top + (size_t)(y - list->y);

	if (y < list->y || y >= list->y + list->height || row >= list->n)
		return SYC_LIST_NOTHING;
	if (row == list->chosen)
		return SYC_LIST_ENTERED;
	list->chosen = row;
	return SYC_LIST_MOVED;
}

enum syc_list_took syc_list_take(struct syc_list *list,
                                 const struct syc_input_event *event)
{
	const long page = list->height > 1 ? list->height - 1 : 1;
	const bool is_letter = event->key == SYC_KEY_CHARACTER;

	if (event->key == SYC_KEY_UP || (is_letter && event->point == 'k'))
		move(list, -1);
	else if (event->key == SYC_KEY_DOWN ||
	         (is_letter && event->point == 'j'))
		move(list, 1);
	else if (event->key == SYC_KEY_PAGE_UP)
		move(list, -page);
	else if (event->key == SYC_KEY_PAGE_DOWN)
		move(list, page);
	else if (event->key == SYC_KEY_WHEEL_UP)
		move(list, -WHEEL);
	else if (event->key == SYC_KEY_WHEEL_DOWN)
		move(list, WHEEL);
	else if (event->key == SYC_KEY_HOME)
		list->chosen = 0;
	else if (event->key == SYC_KEY_END)
		list->chosen = list->n > 0 ? list->n - 1 : 0;
	else if (event->key == SYC_KEY_CLICK)
		return click(list, event->y);
	else
		return SYC_LIST_NOTHING;
	return SYC_LIST_MOVED;
}
