/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "thumbnailer/thumbnailer-fixture.h"

#include <glib/gstdio.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

#include "cache/th-cache.h"
#include "cache/th-png-text.h"

#define WIDTH  300u
#define HEIGHT 200u

void
fixture_draw (const char *path)
{
  g_autofree guint8 *pixels = g_malloc (WIDTH * HEIGHT * 3);
  ThImage image = { { WIDTH, HEIGHT }, 3, WIDTH * 3, pixels };
  g_autoptr (ThPngBody) body = NULL;
  g_autoptr (GBytes) file = NULL;
  gsize size;
  const void *data;

  for (guint i = 0; i < WIDTH * HEIGHT * 3; i++)
    pixels[i] = (guint8) (i / 700);
  body = th_png_encode (&image);
  file = th_png_assemble (body, NULL, 0);
  data = g_bytes_get_data (file, &size);
  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
}

void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("thimble-thumbnailer-XXXXXX", NULL);
  g_assert_nonnull (fixture->folder);
  fixture->input = g_build_filename (fixture->folder, "picture.png", NULL);
  fixture->output = g_build_filename (fixture->folder, "out", NULL);
  fixture->program =
      g_test_build_filename (G_TEST_BUILT, "..", "src", "thumbnailer", "thimble-thumbnailer", NULL);
  fixture_draw (fixture->input);
}

static void
forget_run (Fixture *fixture)
{
  g_clear_pointer (&fixture->out, g_free);
  g_clear_pointer (&fixture->err, g_free);
}

void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_chmod (fixture->folder, 0700);
  dir = g_dir_open (fixture->folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

      g_remove (path);
    }
  g_remove (fixture->folder);
  forget_run (fixture);
  g_free (fixture->folder);
  g_free (fixture->input);
  g_free (fixture->output);
  g_free (fixture->program);
}

void
fixture_run_argv (Fixture *fixture, const char *const *argv)
{
  int status;
  g_autoptr (GError) error = NULL;

  forget_run (fixture);
  g_spawn_sync (fixture->folder, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                &fixture->out, &fixture->err, &status, &error);
  g_assert_no_error (error);
  fixture->status = WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

void
fixture_run (Fixture *fixture, ...)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  const char *argument;
  va_list list;

  g_ptr_array_add (argv, fixture->program);
  va_start (list, fixture);
  while ((argument = va_arg (list, const char *)) != NULL)
    g_ptr_array_add (argv, (gpointer) argument);
  va_end (list);
  g_ptr_array_add (argv, NULL);
  fixture_run_argv (fixture, (const char *const *) argv->pdata);
}

guint
fixture_count (const Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

void
assert_made (const Fixture *fixture, const char *output, ThSize size)
{
  g_autoptr (ThPngText) text = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (fixture->err, ==, "");
  g_assert_cmpstr (fixture->out, ==, "");
  g_assert_cmpint (fixture->status, ==, 0);
  text = th_png_text_read (output, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (th_png_text_size (text).width, ==, size.width);
  g_assert_cmpuint (th_png_text_size (text).height, ==, size.height);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::Image::Width"), ==, "300");
  g_assert_cmpstr (th_png_text_get (text, "Thumb::Image::Height"), ==, "200");
}

void
assert_failed (const Fixture *fixture, int status)
{
  const char *end = strchr (fixture->err, '\n');

  g_assert_cmpint (fixture->status, ==, status);
  g_assert_cmpstr (fixture->out, ==, "");
  g_assert_nonnull (end);
  g_assert_cmpstr (end, ==, "\n");
  g_assert_true (g_str_has_prefix (fixture->err, "thimble-thumbnailer: "));
}
