/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flamegraph.c - a view as an SVG picture with search and zoom, perhaps as a
 * comparison.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "export/export.h"
#include "export/stacks.h"

extern const char flamegraph_script[];

__asm__(".pushsection .rodata\n"
        "flamegraph_script:\n"
        ".incbin \"" SYC_FLAMEGRAPH_SCRIPT "\"\n"
        ".byte 0\n"
        ".popsection\n");

/* XML excludes U+FFFE and U+FFFF. */
static bool is_shown_as_number(uint32_t point)
{
	return syc_utf8_is_control(point) || (point & 0xfffe) == 0xfffe;
}

static void write_one(FILE *out, const char *text, size_t len, uint32_t point)
{
	if (len == 0)
		fputs(SYC_UTF8_REPLACEMENT, out);
	else if (is_shown_as_number(point))
		fprintf(out, "\\u{%x}", (unsigned)point);
	else if (point == '<')
		fputs("&lt;", out);
	else if (point == '>')
		fputs("&gt;", out);
	else if (point == '&')
		fputs("&amp;", out);
	else if (point == '"')
		fputs("&quot;", out);
	else
		fwrite(text, len, 1, out);
}

/*
 * Write at most @most characters of @text.  The last character of a cut text is
 * "…".  Escape special characters of XML.  Show characters that XML excludes,
 * and characters that change the direction of writing, as numbers.
 */
static void xml_text(FILE *out, const char *text, size_t most)
{
	uint32_t point;

	for (size_t n = 0; *text != 0; n++) {
		const size_t len = syc_utf8_next(text, &point);
		const size_t step = len > 0 ? len : point;

		if (n + 1 >= most && text[step] != 0) {
			fputs("…", out);
			return;
		}
		write_one(out, text, len, point);
		text += step;
	}
}

#define WIDTH     1200.0 /* px; texts are cut for this width */
#define GLYPH     7.25
#define ROW       18
#define HEAD      52
#define FOOT      74
#define LEAST_PX  0.1 /* narrower boxes are counted */
#define MOST_GONE 10
#define NAME_MOST 4000

/*
 * Light variants of Okabe and Ito's colours: visible to the colour-blind, and
 * legible under black text.
 */
static const struct {
	const char *colours[3]; /* colours of neighbours differ */
	const char *name;
} categories[] = {
	[SYSCAP_CATEGORY_APPLICATION] = { { "#f0b43c", "#ecc161", "#f3a93a" },
	                                  "application" },
	[SYSCAP_CATEGORY_SYSTEM] = { { "#8cc9ee", "#7bbfe8", "#a0d3f2" },
	                             "system library" },
	[SYSCAP_CATEGORY_JIT] = { { "#5cc3a0", "#74cdaf", "#4fb895" },
	                          "JIT or script" },
	[SYSCAP_CATEGORY_KERNEL] = { { "#e6915a", "#ea9f6e", "#e0854c" },
	                             "kernel" },
	[SYSCAP_CATEGORY_NOTE] = { { "#d0d0d0", "#d0d0d0", "#d0d0d0" },
	                           "no code" },
	[SYSCAP_CATEGORY_RECORDING] = { { "#d9a9c6", "#e0b8d0", "#d39bbc" },
	                                "syscap itself" },
};

struct picture {
	const struct syc_flamegraph *graph;
	FILE *out;
	struct syc_group callees;
	uint64_t *begins; /* start of each node in its row, in units */
	uint32_t *levels;
	uint32_t depth; /* number of rows drawn */
	uint64_t n_narrow;
	double most_change; /* largest change of a drawn node's share */
	bool seen[sizeof(categories) / sizeof(*categories)];
};

static const struct syscap_profile_function *
function_of(const struct picture *picture, uint32_t node)
{
	return syscap_profile_function(picture->graph->profile,
	                               picture->graph->view->functions[node]);
}

static bool is_drawn(const struct picture *picture, uint32_t node)
{
	const struct syscap_view *view = picture->graph->view;

	return (double)view->totals[node] * WIDTH >=
	       LEAST_PX * (double)view->total;
}

static double share(uint64_t part, uint64_t all)
{
	return all > 0 ? (double)part / (double)all : 0;
}

/* Growth of @node's share, from -1 to 1. */
static double change(const struct picture *picture, uint32_t node)
{
	const struct syc_flamegraph *graph = picture->graph;
	const struct syc_flamegraph_diff *diff = graph->diff;

	if (graph->by_self)
		return share(graph->view->selfs[node], graph->view->total) -
		       share(diff->selfs[node], diff->base->total);
	return share(graph->view->totals[node], graph->view->total) -
	       share(diff->totals[node], diff->base->total);
}

/*
 * Lay out callers before callees, so that the place of a node is known before
 * the places of its callees.
 */
static void lay_out(struct picture *picture)
{
	const struct syscap_view *view = picture->graph->view;
	const struct syc_group *callees = &picture->callees;

	for (uint32_t node = 0; node < view->n_nodes; node++) {
		uint64_t at = picture->begins[node];

		for (uint32_t i = callees->begins[node];
		     i < callees->begins[node + 1]; i++) {
			const uint32_t child = callees->rows[i];

			picture->begins[child] = at;
			picture->levels[child] = picture->levels[node] + 1;
			at += view->totals[child];
		}
		if (!is_drawn(picture, node)) {
			picture->n_narrow++;
			continue;
		}
		if (picture->levels[node] > picture->depth)
			picture->depth = picture->levels[node];
		if (picture->graph->diff != NULL)
			picture->most_change =
				fmax(picture->most_change,
			             fabs(change(picture, node)));
	}
}

/* ---------------------------------------------------------------- frames */

/* Print the colour: white for no change, red for growth, blue for decrease. */
static void print_change_colour(const struct picture *picture, uint32_t node)
{
	const double by = picture->most_change > 0
	                          ? change(picture, node) / picture->most_change
	                          : 0;
	const unsigned pale = (unsigned)(245 - 165 * fabs(by));

	if (by > 0)
		fprintf(picture->out, "#f5%02x%02x", pale, pale);
	else
		fprintf(picture->out, "#%02x%02xf5", pale,
		        (unsigned)(245 - 115 * fabs(by)));
}

static void print_colour(struct picture *picture, uint32_t node)
{
	const struct syscap_profile_function *function =
		function_of(picture, node);
	unsigned hash = 0;

	if (picture->graph->diff != NULL) {
		print_change_colour(picture, node);
		return;
	}
	if (node == 0) {
		fputs("#e4e4e4", picture->out);
		return;
	}
	for (const char *at = function->name; *at != 0; at++)
		hash = hash * 31 + (unsigned char)*at;
	picture->seen[function->category] = true;
	fputs(categories[function->category].colours[hash % 3], picture->out);
}

static void print_name(const struct picture *picture, uint32_t node,
                       size_t most)
{
	xml_text(picture->out,
	         node == 0 ? "all" : function_of(picture, node)->name, most);
}

/* Print "12.3 ms", "17 ticks" or "4096 bytes". */
static void print_amount(FILE *out, enum syscap_view_unit unit, uint64_t amount)
{
	char text[40];

	if (syc_amount_is_time(unit)) {
		syc_duration_format(amount > INT64_MAX ? INT64_MAX
		                                       : (int64_t)amount,
		                    text, sizeof(text));
		fputs(text, out);
	} else {
		fprintf(out, "%" PRIu64 " %s", amount,
		        unit == SYSCAP_UNIT_BYTES ? "bytes" : "ticks");
	}
}

/* Print the title, whose first line is the name for the script. */
static void print_title(const struct picture *picture, uint32_t node)
{
	const struct syc_flamegraph *graph = picture->graph;
	const struct syscap_view *view = graph->view;
	FILE *out = picture->out;

	fputs("<title>", out);
	print_name(picture, node, NAME_MOST);
	putc('\n', out);
	if (node != 0 && function_of(picture, node)->binary[0] != 0) {
		fputs(function_of(picture, node)->is_inlined ? "inlined in "
		                                             : "in ",
		      out);
		xml_text(out, function_of(picture, node)->binary, NAME_MOST);
		fputs("\n", out);
	}
	print_amount(out, view->unit, view->totals[node]);
	fprintf(out, ", %.2f %%", 100 * share(view->totals[node], view->total));
	if (view->selfs[node] > 0 && view->selfs[node] != view->totals[node]) {
		fputs(", self ", out);
		print_amount(out, view->unit, view->selfs[node]);
	}
	if (graph->diff != NULL)
		fprintf(out, "\nwas %.2f %%: %+.2f%s",
		        100 * share(graph->by_self ? graph->diff->selfs[node]
		                                   : graph->diff->totals[node],
		                    graph->diff->base->total),
		        100 * change(picture, node),
		        graph->by_self ? ", self" : "");
	fputs("</title>", out);
}

static void print_frame(struct picture *picture, uint32_t node)
{
	const struct syscap_view *view = picture->graph->view;
	const double x = share(picture->begins[node], view->total);
	const double w = share(view->totals[node], view->total);
	const size_t room = (size_t)fmax(0, (w * WIDTH - 6) / GLYPH);
	const unsigned y = (picture->depth - picture->levels[node]) * ROW;
	FILE *out = picture->out;

	fprintf(out,
	        "<g data-b=\"%" PRIu64 "\" data-v=\"%" PRIu64
	        "\" data-l=\"%u\">",
	        picture->begins[node], view->totals[node],
	        (unsigned)picture->levels[node]);
	print_title(picture, node);
	fprintf(out, "<rect x=\"%.6g%%\" y=\"%u\" width=\"%.6g%%\" fill=\"",
	        100 * x, y, 100 * w);
	print_colour(picture, node);
	fputs("\"/>", out);
	if (room >= 3) {
		fprintf(out, "<text x=\"%.6g%%\" dx=\"3\" y=\"%u\">", 100 * x,
		        y + 13);
		print_name(picture, node, room);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

/* ------------------------------------------------------------- around it */

static void print_head(const struct picture *picture, unsigned height)
{
	const struct syc_flamegraph *graph = picture->graph;
	const struct syscap_view *view = graph->view;
	FILE *out = picture->out;

	fprintf(out,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" "
	        "height=\"%u\" style=\"min-width:600px\">\n"
	        "<style>\n"
	        "text { font: 12px monospace; fill: #111; }\n"
	        "#frames rect { height: %upx; stroke: #fff; "
	        "stroke-width: 0.5; }\n"
	        "#frames text { pointer-events: none; white-space: pre; }\n"
	        "#frames g { cursor: pointer; }\n"
	        "#frames g:hover rect { stroke: #000; stroke-width: 1; }\n"
	        "#name { font: bold 16px sans-serif; }\n"
	        ".button { cursor: pointer; text-decoration: underline; }\n"
	        "</style>\n"
	        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
	        "<text id=\"name\" x=\"8\" y=\"24\">",
	        height, ROW - 1);
	xml_text(out, graph->title, 100);
	if (graph->diff != NULL) {
		fputs(" compared with ", out);
		xml_text(out, graph->diff->name, 100);
	}
	fprintf(out, "</text>\n<text id=\"unit\" x=\"8\" y=\"42\">%s: ",
	        syscap_view_unit_name(view->unit));
	print_amount(out, view->unit, view->total);
	fprintf(out, ", %" PRIu64 " of %" PRIu64 " %s", view->n_passed,
	        view->n_looked,
	        view->unit == SYSCAP_UNIT_BYTES ? "allocations" : "samples");
	if (graph->filter[0] != 0) {
		fputs(", with ", out);
		xml_text(out, graph->filter, 300);
	}
	if (graph->diff != NULL)
		fprintf(out,
		        "; red: a larger share than before (%s), blue: a "
		        "smaller one",
		        graph->by_self ? "self" : "total");
	fputs("</text>\n", out);
}

/*
 * Print the controls for the script, at the bottom, since the picture grows
 * upwards.
 */
static void print_buttons(const struct picture *picture, unsigned y)
{
	fprintf(picture->out,
	        "<text id=\"search\" class=\"button\" x=\"8\" y=\"%u\" "
	        "style=\"display:none\">Search</text>\n"
	        "<text id=\"found\" x=\"66\" y=\"%u\"></text>\n"
	        "<text id=\"reset\" class=\"button\" x=\"99%%\" y=\"%u\" "
	        "text-anchor=\"end\" style=\"display:none\">Show all</text>\n"
	        "<text id=\"details\" x=\"8\" y=\"%u\"></text>\n",
	        y, y, y, y + ROW);
}

static void print_gone(const struct picture *picture, unsigned y)
{
	const struct syc_flamegraph_diff *diff = picture->graph->diff;
	FILE *out = picture->out;

	for (size_t i = 0; i < diff->gone.n; i++, y += ROW) {
		const uint32_t node = diff->gone.items[i];

		fprintf(out, "<text class=\"gone\" x=\"8\" y=\"%u\">", y);
		if (i == MOST_GONE) {
			fprintf(out, "gone: %zu more</text>\n",
			        diff->gone.n - i);
			return;
		}
		fprintf(out, "gone: %.2f %% ",
		        100 * share(diff->base->totals[node],
		                    diff->base->total));
		xml_text(out,
		         syscap_profile_function(diff->base_profile,
		                                 diff->base->functions[node])
		                 ->name,
		         120);
		fputs("</text>\n", out);
	}
}

static void print_foot(const struct picture *picture, unsigned y)
{
	FILE *out = picture->out;
	unsigned x = 8;

	print_buttons(picture, y + 16);
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++) {
		if (!picture->seen[i])
			continue;
		fprintf(out,
		        "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" "
		        "fill=\"%s\"/><text x=\"%u\" y=\"%u\">%s</text>\n",
		        x, y + 46, categories[i].colours[0], x + 17, y + 56,
		        categories[i].name);
		x += 40 +
		     (unsigned)(GLYPH * (double)strlen(categories[i].name));
	}
	if (picture->n_narrow > 0)
		fprintf(out,
		        "<text id=\"narrow\" x=\"99%%\" y=\"%u\" "
		        "text-anchor=\"end\">%" PRIu64 " frames narrower than "
		        "0.1 px are not drawn</text>\n",
		        y + 56, picture->n_narrow);
	if (picture->graph->diff != NULL)
		print_gone(picture, y + FOOT);
}

static void print_picture(struct picture *picture)
{
	const struct syc_flamegraph_diff *diff = picture->graph->diff;
	const unsigned rows = (picture->depth + 1) * ROW;
	const size_t n_gone = diff == NULL               ? 0
	                      : diff->gone.n > MOST_GONE ? MOST_GONE + 1
	                                                 : diff->gone.n;
	FILE *out = picture->out;

	print_head(picture, HEAD + rows + FOOT + (unsigned)n_gone * ROW);
	fprintf(out,
	        "<svg id=\"frames\" x=\"0\" y=\"%u\" width=\"100%%\" "
	        "height=\"%u\" data-total=\"%" PRIu64 "\">\n",
	        HEAD, rows, picture->graph->view->total);
	for (uint32_t node = 0; node < picture->graph->view->n_nodes; node++)
		if (is_drawn(picture, node))
			print_frame(picture, node);
	fputs("</svg>\n", out);
	print_foot(picture, HEAD + rows);
	fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n",
	        flamegraph_script);
}

int syc_flamegraph_write(const struct syc_flamegraph *graph, FILE *out)
{
	const size_t n = graph->view->n_nodes;
	struct picture picture = {
		.graph = graph,
		.out = out,
		.begins = calloc(n, sizeof(*picture.begins)),
		.levels = calloc(n, sizeof(*picture.levels)),
	};
	int r = -ENOMEM;

	if (picture.begins != NULL && picture.levels != NULL)
		r = syc_callees_by_name(&picture.callees, graph->profile,
		                        graph->view);
	if (r == 0) {
		lay_out(&picture);
		print_picture(&picture);
	}
	syc_group_fini(&picture.callees);
	free(picture.begins);
	free(picture.levels);
	return r;
}
