/* SPDX-License-Identifier: BSD-2-Clause */
/* test_json.c - the JSON writer: commas, escapes, numbers. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "harness/test.h"

static char *text;
static size_t size;

static struct syc_json begin(void)
{
	return (struct syc_json){ .out = open_memstream(&text, &size) };
}

static void expect(struct syc_json *json, const char *wanted)
{
	fclose(json->out);
	CHECK_STR(text, wanted);
	free(text);
}

TEST(commas_stand_between_items_and_nowhere_else)
{
	struct syc_json json = begin();

	syc_json_begin_object(&json);
	syc_json_key(&json, "a");
	syc_json_begin_array(&json);
	syc_json_end_array(&json);
	syc_json_key(&json, "b");
	syc_json_begin_array(&json);
	syc_json_integer(&json, -1);
	syc_json_begin_object(&json);
	syc_json_end_object(&json);
	syc_json_begin_object(&json);
	syc_json_member_bool(&json, "x", true);
	syc_json_member_bool(&json, "y", false);
	syc_json_end_object(&json);
	syc_json_null(&json);
	syc_json_end_array(&json);
	syc_json_member_tid(&json, -1);
	syc_json_end_object(&json);
	syc_json_end_line(&json);
	syc_json_begin_array(&json);
	syc_json_end_array(&json);
	expect(&json, "{\"a\":[],\"b\":[-1,{},{\"x\":true,\"y\":false},null],"
	              "\"tid\":null}\n[]");
}

static void expect_text(const char *value, const char *wanted)
{
	struct syc_json json = begin();

	syc_json_text(&json, value);
	expect(&json, wanted);
}

TEST(line_ends_and_direction_marks_are_escaped)
{
	expect_text("a\xE2\x80\xAEgnp.exe", "\"a\\u202egnp.exe\"");
	expect_text("\xC2\x85\xE2\x80\xA8\x7F", "\"\\u0085\\u2028\\u007f\"");
	expect_text("\xE2\x80\xA6", "\"\xE2\x80\xA6\"");
}

TEST(texts_are_escaped)
{
	expect_text(NULL, "null");
	expect_text("", "\"\"");
	expect_text("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	expect_text("\n\t\r\x01\x1F\x7F", "\"\\n\\t\\r\\u0001\\u001f\\u007f\"");
	expect_text("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80",
	            "\"\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
}

#define BAD "\xEF\xBF\xBD"

TEST(each_part_that_is_not_utf8_becomes_one_replacement)
{
	expect_text("\x80", "\"" BAD "\"");
	expect_text("\xFF\xFE", "\"" BAD BAD "\"");
	expect_text("\xC0\xAF", "\"" BAD BAD "\"");
	expect_text("a\xE2\x82z", "\"a" BAD "z\"");
	expect_text("\xE2\x82", "\"" BAD "\"");
	expect_text("\xF0\x9F\x98\"", "\"" BAD "\\\"\"");
	expect_text("\xED\xA0\x80", "\"" BAD BAD BAD "\"");
	expect_text("\xF4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"");
	expect_text("\xE0\x9F\xBF", "\"" BAD BAD BAD "\"");
}

static void expect_double(double value, const char *wanted)
{
	struct syc_json json = begin();

	syc_json_double(&json, value);
	expect(&json, wanted);
}

TEST(doubles_read_back_the_same_and_are_short)
{
	expect_double(0.1, "0.1");
	expect_double(1.0, "1");
	expect_double(1.0 / 3, "0.3333333333333333");
	expect_double(5e-324, "4.94065645841247e-324");
	expect_double(1.7976931348623157e308, "1.7976931348623157e+308");
	expect_double(-1234.5, "-1234.5");
	expect_double(0.001, "0.001");
	expect_double(-0.0, "-0");
	expect_double(0.1 + 0.2, "0.30000000000000004");
	expect_double(999999999999999.0, "999999999999999");
	expect_double(1e15, "1e+15");
	expect_double(9007199254740993.0, "9007199254740992");
	expect_double(123456789.0625, "123456789.0625");
	expect_double(NAN, "null");
	expect_double(-INFINITY, "null");
}

TEST(integers_keep_their_limits)
{
	struct syc_json json = begin();

	syc_json_begin_array(&json);
	syc_json_integer(&json, INT64_MIN);
	syc_json_unsigned(&json, UINT64_MAX);
	syc_json_address(&json, UINT64_C(0xE000000000000001));
	syc_json_end_array(&json);
	expect(&json, "[-9223372036854775808,18446744073709551615,"
	              "\"0xe000000000000001\"]");
}

TEST(bytes_are_base64)
{
	static const struct {
		const char *bytes, *wanted;
	} cases[] = {
		{ "", "\"\"" },
		{ "f", "\"Zg==\"" },
		{ "fo", "\"Zm8=\"" },
		{ "foo", "\"Zm9v\"" },
		{ "foob", "\"Zm9vYg==\"" },
		{ "\xFF\xFE\xFD", "\"//79\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct syc_json json = begin();

		syc_json_base64(&json, (const unsigned char *)cases[i].bytes,
		                strlen(cases[i].bytes));
		expect(&json, cases[i].wanted);
	}
}

TEST(any_double_reads_back_the_same)
{
	uint64_t state = test_seed();

	for (unsigned i = 0; i < 20000; i++) {
		struct syc_json json = begin();
		double value, back;

		state = state * UINT64_C(6364136223846793005) +
		        1442695040888963407;
		uint64_t bits = state;
		/* Numbers of medium size, and next to powers of two. */
		if (i % 4 == 1)
			bits = (1000 + (state >> 32) % 80) << 52 |
			       (i % 8 == 1 ? state >> 12
			                   : ((uint64_t)(i / 8 % 3) - 1) >> 12);
		if (i % 2)
			memcpy(&value, &bits, sizeof(value));
		else
			value = (double)((int64_t)state >> i % 60) /
			        (1 + i % 1000 * (i % 7));
		if (!isfinite(value))
			value = i;
		syc_json_double(&json, value);
		fclose(json.out);
		back = strtod(text, NULL);
		CHECK(memcmp(&back, &value, sizeof(value)) == 0);
		free(text);
	}
}

TEST(texts_of_any_length_are_complete)
{
	static char input[5000], wanted[5100];

	for (size_t n = 2; n < sizeof(input); n += 1 + n / 7) {
		struct syc_json json = begin();

		memset(input, 'x', n);
		memcpy(input + n - 2, "\"\\", 3);
		snprintf(wanted, sizeof(wanted), "[\"%.*s\\\"\\\\\",7]",
		         (int)n - 2, input);
		syc_json_begin_array(&json);
		syc_json_text(&json, input);
		syc_json_integer(&json, 7);
		syc_json_end_array(&json);
		expect(&json, wanted);
	}
}
