/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-json.h"

static void
test_structure (void)
{
  g_autoptr (ThJson) json = th_json_new ();

  th_json_begin_object (json, NULL);
  th_json_begin_array (json, "empty");
  th_json_end (json);
  th_json_begin_array (json, "list");
  th_json_string (json, NULL, "a");
  th_json_begin_object (json, NULL);
  th_json_boolean (json, "yes", TRUE);
  th_json_boolean (json, "no", FALSE);
  th_json_end (json);
  th_json_begin_object (json, NULL);
  th_json_end (json);
  th_json_end (json);
  th_json_integer (json, "least", G_MININT64);
  th_json_size (json, "most", G_MAXUINT64);
  th_json_string (json, "null", NULL);
  th_json_end (json);
  g_assert_cmpstr (th_json_text (json), ==,
                   "{\"empty\":[],\"list\":[\"a\",{\"yes\":true,\"no\":false},{}],"
                   "\"least\":-9223372036854775808,\"most\":18446744073709551615,\"null\":null}");
}

static void
test_strings (void)
{
  static const struct
  {
    const char *value;
    const char *expected;
  } rows[] = {
    { "", "\"\"" },
    { "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" },
    { "\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"" },
    { "é€😀", "\"é€😀\"" },
    { "a\xff"
      "b",
      "\"a\\\\xffb\"" },
    { "\xc3", "\"\\\\xc3\"" },
    { "\xc3(", "\"\\\\xc3(\"" },
    { "\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\"" },
    { "\xc0\x80", "\"\\\\xc0\\\\x80\"" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (ThJson) json = th_json_new ();

      th_json_string (json, NULL, rows[i].value);
      g_assert_cmpstr (th_json_text (json), ==, rows[i].expected);
      g_assert_true (g_utf8_validate (th_json_text (json), -1, NULL));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/structure", test_structure);
  g_test_add_func ("/json/strings", test_strings);
  return g_test_run ();
}
