/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl sheet: what is drawn where, and the whole command in its own process and over the bus.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "cache/th-uri.h"
#include "ctl/th-sheet.h"
#include "pictures.h"

typedef struct
{
  TestBus *bus;
  char *ctl;
  char *output;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *daemon = test_program ("../src/service/thimbled");

  fixture->ctl = test_program ("../src/ctl/thimblectl");
  fixture->bus = test_bus_up (daemon);
  fixture->output = g_build_filename (fixture->bus->root, "sheet.png", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_bus_down (fixture->bus);
  g_free (fixture->output);
  g_free (fixture->ctl);
}

/* In the folder where a sheet goes that nobody named. Returns what it said to stderr. */
static char *
run (Fixture *fixture, int status, const char *const *options)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *out = NULL;
  char *said = NULL;

  g_ptr_array_add (argv, fixture->ctl);
  g_ptr_array_add (argv, (gpointer) "sheet");
  for (; *options != NULL; options++)
    g_ptr_array_add (argv, (gpointer) *options);
  g_ptr_array_add (argv, fixture->bus->pictures);
  g_ptr_array_add (argv, NULL);
  g_subprocess_launcher_set_cwd (launcher, fixture->bus->root);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv->pdata, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, &said, NULL));
  g_test_message ("%s%s", out, said);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, status);
  return said;
}

/* What the header of a whole PNG says. */
static ThSize
size_of (const char *path)
{
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  ThSize size;
  gsize n = 0;

  g_assert_true (g_file_get_contents (path, &contents, &n, &error));
  g_assert_cmpuint (n, >, 45);
  g_assert_cmpmem (contents + n - 8, 4, "IEND", 4);
  memcpy (&size, contents + 16, sizeof size);
  return (ThSize){ GUINT32_FROM_BE (size.width), GUINT32_FROM_BE (size.height) };
}

/* data is the option that leads to one way or the other. Twice two and one, those that are missing
 * made first; what is no picture is left out and told of. */
static void
test_way (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 5, 200);
  const char *const options[] = { data,        "--no-names", "--flavor=normal", "--columns=2", "-o",
                                  "sheet.png", NULL };
  g_autofree char *said = NULL;
  g_autofree char *again = NULL;
  g_autofree char *broken = g_build_filename (fixture->bus->pictures, "broken.png", NULL);
  ThSize size;

  said = run (fixture, 0, options);
  size = size_of (fixture->output);
  g_assert_cmpuint (size.width, ==, 2 * (128 + 16));
  g_assert_cmpuint (size.height, ==, 3 * (128 + 16));
  for (guint i = 0; uris[i] != NULL; i++)
    test_check_thumbnail (fixture->bus, uris[i], TH_FLAVOR_NORMAL);
  g_assert_true (g_file_set_contents (broken, "\211PNG\r\n\032\nno more", -1, NULL));
  again = run (fixture, 1, options);
  g_assert_nonnull (strstr (again, "broken.png: "));
  size = size_of (fixture->output);
  g_assert_cmpuint (size.height, ==, 3 * (128 + 16));
}

/* Names make the cells higher, or are told to be left out. */
static void
test_names (Fixture *fixture, gconstpointer data)
{
  static const char *const options[] = { "--flavor=normal", NULL };
  g_autofree char *uri =
      test_picture (fixture->bus, "\u00e4\u00f6\u00fc <&> \u201cx\u201d.png", 200, 1);
  g_autofree char *path = th_uri_to_path (uri, NULL);
  g_autofree char *said = run (fixture, 0, options);
  gboolean left_out = strstr (said, "The names are left out") != NULL;
  ThSize size = size_of (fixture->output);

  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (size.width, ==, 128 + 16);
  g_assert_cmpuint (size.height, ==, 128 + 16 + (left_out ? 0 : TH_SHEET_LABEL));
}

/* What nobody named is not written over. */
static void
test_there (Fixture *fixture, gconstpointer data)
{
  static const char *const options[] = { NULL };
  g_auto (GStrv) uris = test_pictures (fixture->bus, 1, 200);
  g_autofree char *contents = NULL;
  g_autofree char *said = NULL;

  g_assert_true (g_file_set_contents (fixture->output, "mine", -1, NULL));
  said = run (fixture, 1, options);
  test_check_thumbnail (fixture->bus, uris[0], TH_FLAVOR_LARGE);
  g_assert_nonnull (strstr (said, "is there already and stays"));
  g_assert_true (g_file_get_contents (fixture->output, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "mine");
}

/* In the folder itself: it does not show itself when it is made again. */
static void
test_again (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 2, 200);
  g_autofree char *output = g_build_filename (fixture->bus->pictures, "a.png", NULL);
  const char *const options[] = { "-f", "normal", "-n", "-c", "1", "-o", output, NULL };

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *said = run (fixture, 0, options);

      g_assert_cmpuint (strlen (said), ==, 0);
      g_assert_cmpuint (size_of (output).height, ==, 2 * (128 + 16));
    }
  test_check_thumbnail (fixture->bus, uris[1], TH_FLAVOR_NORMAL);
}

static void
test_nothing (Fixture *fixture, gconstpointer data)
{
  static const char *const options[] = { NULL };
  static const char *const wide[] = { "--columns=1001", NULL };
  g_autofree char *said = run (fixture, 1, options);
  g_autofree char *usage = run (fixture, 2, wide);

  g_assert_nonnull (strstr (said, "There is nothing to show"));
  g_assert_nonnull (strstr (usage, "is no number of columns"));
  g_assert_false (g_file_test (fixture->output, G_FILE_TEST_EXISTS));
}

static const guint8 *
pixel (const ThSheet *sheet, guint x, guint y)
{
  return sheet->canvas.data + y * sheet->canvas.stride + x * 3;
}

/* In the middle, over white, cut off where it is too large, and nowhere else. */
static void
test_put (void)
{
  guint8 half[2 * 2 * 4];
  g_autofree guint8 *black = g_malloc0 (300 * 10 * 3);
  const ThImage small = { { 2, 2 }, 4, 8, half };
  const ThImage large = { { 300, 10 }, 3, 900, black };
  g_auto (ThSheet) sheet = { 0 };

  memset (half, 0, sizeof half);
  for (guint i = 0; i < 4; i++)
    half[i * 4 + 3] = 128;
  g_assert_true (th_sheet_init (&sheet, 128, 2, 4, TRUE, NULL));
  g_assert_cmpuint (sheet.canvas.size.width, ==, 288);
  g_assert_cmpuint (sheet.canvas.size.height, ==, 360);
  th_sheet_put (&sheet, 3, &small);
  g_assert_cmpuint (pixel (&sheet, 144 + 8 + 63, 180 + 8 + 63)[0], ==, 127);
  g_assert_cmpuint (pixel (&sheet, 144 + 8 + 62, 180 + 8 + 63)[0], ==, 255);
  g_assert_cmpuint (pixel (&sheet, 144 + 8 + 65, 180 + 8 + 64)[0], ==, 255);
  th_sheet_put_label (&sheet, 0, &large);
  g_assert_cmpuint (pixel (&sheet, 8, 8 + 128 + 13)[1], ==, 0);
  g_assert_cmpuint (pixel (&sheet, 7, 8 + 128 + 13)[1], ==, 255);
  g_assert_cmpuint (pixel (&sheet, 135, 8 + 128 + 22)[1], ==, 0);
  g_assert_cmpuint (pixel (&sheet, 136, 8 + 128 + 22)[1], ==, 255);
  g_assert_cmpuint (pixel (&sheet, 8, 8 + 128 + 23)[1], ==, 255);
}

/* Memory is bounded, whatever is asked for. */
static void
test_bounds (void)
{
  static const guint32 boxes[] = { 128, 256, 512, 1024 };

  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    for (guint columns = 1; columns <= 1000; columns++)
      {
        guint most = th_sheet_most_cells (boxes[i], columns);
        guint64 width = (guint64) columns * (boxes[i] + 16);
        guint64 height = (guint64) (most / columns) * (boxes[i] + 16 + TH_SHEET_LABEL);

        g_assert_cmpuint (most % columns, ==, 0);
        g_assert_cmpuint (width * height, <=, 64u << 20);
        g_assert_true (most == 0 || (width <= 32767 && height <= 32767));
        g_assert_true (most > 0 || width > 32767);
      }
  g_assert_cmpuint (th_sheet_columns (256, 3), ==, 3);
  g_assert_cmpuint (th_sheet_columns (256, 300), ==, 6);
  g_assert_cmpuint (th_sheet_columns (1024, 300), ==, 1);
}

static void
test_label (void)
{
  g_autofree char *brief = th_sheet_label ("a<&>\n.png", 256);
  g_autofree char *longer =
      th_sheet_label ("this is a name that takes a second line of it, yes.jpeg", 256);
  g_autoptr (GString) much = g_string_new (NULL);
  g_autofree char *cut = NULL;

  g_assert_nonnull (strstr (brief, ">a&lt;&amp;&gt;\\x0a.png</text>"));
  g_assert_nonnull (strstr (brief, "y='30'></text>"));
  g_assert_null (strstr (longer, "\u2026"));
  g_assert_nonnull (strstr (longer, "yes.jpeg</text></svg>"));
  for (guint i = 0; i < 80; i++)
    g_string_append (much, "\u4e2de\u0301");
  g_string_append (much, "end.png");
  cut = th_sheet_label (much->str, 128);
  g_assert_true (g_utf8_validate (cut, -1, NULL));
  g_assert_nonnull (strstr (cut, ">\u2026"));
  g_assert_null (strstr (cut, "\u2026\u0301"));
  g_assert_nonnull (strstr (cut, "end.png</text></svg>"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sheet/put", test_put);
  g_test_add_func ("/sheet/bounds", test_bounds);
  g_test_add_func ("/sheet/label", test_label);
  g_test_add ("/sheet/local", Fixture, "--local", set_up, test_way, tear_down);
  g_test_add ("/sheet/bus", Fixture, "--hidden", set_up, test_way, tear_down);
  g_test_add ("/sheet/names", Fixture, NULL, set_up, test_names, tear_down);
  g_test_add ("/sheet/there", Fixture, NULL, set_up, test_there, tear_down);
  g_test_add ("/sheet/again", Fixture, NULL, set_up, test_again, tear_down);
  g_test_add ("/sheet/nothing", Fixture, NULL, set_up, test_nothing, tear_down);
  return g_test_run ();
}
