/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures within others: which one of an icon is taken, and that what lies in a QuickTime image
 * comes out as if it lay there alone. */
#include "config.h"

#include <string.h>

#include "core/th-codec.h"
#include "core/th-render.h"

#define N_BOXES 6u

typedef enum
{
  NOTHING,
  RED,   /* 256 pixels */
  GREEN, /* 128, or another shape */
  BLUE,  /* 48, or another shape */
  WHITE, /* 16 */
} Colour;

static const guint8 colours[][3] = {
  [RED] = { 220, 30, 20 },
  [GREEN] = { 30, 200, 60 },
  [BLUE] = { 20, 40, 230 },
  [WHITE] = { 255, 255, 255 },
};

typedef struct
{
  const char *file;
  const char *needs; /* a codec besides its own */
  guint32 boxes[N_BOXES];
  Colour expected[N_BOXES];
} Case;

static const Case cases[] = {
  { "sizes.ico", "png", { 1024, 256, 129, 128, 48, 16 }, { RED, RED, RED, GREEN, BLUE, WHITE } },
  { "sizes.ico", "png", { 127, 49, 47, 17, 15, 1 }, { GREEN, GREEN, BLUE, BLUE, WHITE, WHITE } },
  { "sizes.icns", "png", { 1024, 256, 129, 128, 48, 16 }, { RED, RED, RED, GREEN, BLUE, WHITE } },
  { "sizes.icns", "png", { 127, 49, 47, 17, 15, 1 }, { GREEN, GREEN, BLUE, BLUE, WHITE, WHITE } },
  /* What has another shape than the largest shows something else. */
  { "shapes.ico", "bmp", { 256, 128, 64, 16 }, { RED, RED, RED, RED } },
  { "broken.ico", "bmp", { 256, 128, 64, 16 }, { RED, RED, RED, RED } },
  { "sizes.ora", "png", { 1024, 256, 129, 128, 48, 16 }, { RED, RED, RED, GREEN, GREEN, GREEN } },
  { "deflated.ora",
    "png",
    { 1024, 256, 129, 128, 48, 16 },
    { RED, RED, RED, GREEN, GREEN, GREEN } },
  { "rounded.ora", "png", { 256, 128, 64, 16 }, { RED, GREEN, GREEN, GREEN } },
  { "shapes.ora", "png", { 256, 128, 64, 16 }, { RED, RED, RED, RED } },
  { "broken.ora", "png", { 256, 128, 64, 16 }, { RED, RED, RED, RED } },
};

static gboolean
is_built_in (const char *name)
{
  for (guint i = 0; th_codecs[i] != NULL; i++)
    if (strcmp (th_codecs[i]->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* The result at size box, as bytes: status, size, channels and pixels. Caller unrefs. */
static GBytes *
render (const void *data, gsize size, guint32 box)
{
  g_autoptr (ThInput) input = th_input_new_bytes (data, size);
  g_autoptr (ThRender) made = NULL;
  GByteArray *result = g_byte_array_new ();
  guint32 head[4] = { 0 };
  ThImage image = { 0 };
  ThLimits limits;

  th_limits_init (&limits);
  head[0] = th_render_open (input, &limits, &box, 1, NULL, &made, NULL);
  if (head[0] == TH_STATUS_OK)
    {
      const ThRenderPlan *plan = th_render_plan (made);

      image.size = th_fit (plan->full, box);
      image.channels = plan->channels;
      image.stride = (gsize) image.size.width * image.channels;
      image.data = g_malloc0_n (image.size.height, image.stride);
      head[0] = th_render_run (made, &image, NULL);
    }
  if (th_status_has_pixels (head[0]))
    memcpy (head + 1, (guint32[]){ image.size.width, image.size.height, image.channels },
            3 * sizeof *head);
  g_byte_array_append (result, (const guint8 *) head, sizeof head);
  if (th_status_has_pixels (head[0]))
    g_byte_array_append (result, image.data, (guint) (image.stride * image.size.height));
  g_free (image.data);
  return g_byte_array_free_to_bytes (result);
}

static Colour
nearest (const guint8 *pixel)
{
  for (Colour c = RED; c <= WHITE; c++)
    if (ABS (pixel[0] - colours[c][0]) <= 2 && ABS (pixel[1] - colours[c][1]) <= 2
        && ABS (pixel[2] - colours[c][2]) <= 2)
      return c;
  return NOTHING;
}

static void
test_choice (gconstpointer data)
{
  const Case *own = data;
  g_autofree char *path =
      g_test_build_filename (G_TEST_BUILT, "codecs/images/icons", own->file, NULL);
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  for (guint i = 0; i < N_BOXES && own->boxes[i] > 0; i++)
    {
      g_autoptr (GBytes) result = render (contents, length, own->boxes[i]);
      const guint32 *head = g_bytes_get_data (result, NULL);

      g_test_message ("%u", own->boxes[i]);
      g_assert_cmpuint (head[0], ==, TH_STATUS_OK);
      g_assert_cmpuint (MAX (head[1], head[2]), ==, MIN (own->boxes[i], 256));
      g_assert_cmpuint (nearest ((const guint8 *) (head + 4)), ==, own->expected[i]);
    }
}

/* Statuses too: what cannot be read alone cannot be read there. */
static void
check_wrapped (const char *path)
{
  static const guint8 atom[8] = "\0\0\0\0idat";
  static const guint32 boxes[] = { 128, 33 };
  g_autofree char *contents = NULL;
  g_autofree guint8 *wrapped = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  wrapped = g_malloc (length + sizeof atom);
  memcpy (wrapped, atom, sizeof atom);
  memcpy (wrapped + sizeof atom, contents, length);
  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      g_autoptr (GBytes) alone = render (contents, length, boxes[i]);
      g_autoptr (GBytes) within = render (wrapped, length + sizeof atom, boxes[i]);

      if (!g_bytes_equal (alone, within))
        g_test_message ("%s", path);
      g_assert_true (g_bytes_equal (alone, within));
    }
}

static guint
check_folder (char *folder, const char *suffix)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *file;
  guint n = 0;

  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, file, NULL);

      if (!g_str_has_suffix (file, suffix))
        continue;
      check_wrapped (path);
      n++;
    }
  g_clear_pointer (&dir, g_dir_close);
  g_free (folder);
  return n;
}

static void
test_wrapped (void)
{
  guint n = check_folder (g_test_build_filename (G_TEST_DIST, "fuzz/corpus/jpeg", NULL), ".jpg");

  for (guint i = 0; th_codecs[i] != NULL; i++)
    {
      g_autofree char *suffix = g_strconcat (".", th_codecs[i]->name, NULL);

      if (strcmp (th_codecs[i]->name, "qtif") != 0)
        n += check_folder (g_test_build_filename (G_TEST_BUILT, "codecs/images/ok", NULL), suffix);
    }
  g_test_message ("%u pictures", n);
  g_assert_cmpuint (n, >, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("/icons/choice/%zu-%s", i, cases[i].file);

      if (is_built_in (strrchr (cases[i].file, '.') + 1) && is_built_in (cases[i].needs)
          && is_built_in ("bmp"))
        g_test_add_data_func (name, &cases[i], test_choice);
    }
  if (is_built_in ("qtif"))
    g_test_add_func ("/icons/wrapped", test_wrapped);
  return g_test_run ();
}
