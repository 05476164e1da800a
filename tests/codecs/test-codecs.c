/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks folders of pictures: one test a file, its path is its name. */
#include "config.h"

#include <string.h>

#include "check.h"
#include "core/th-codec.h"
#include "made-webp.h"
#include "picture.h"

/* Larger files are decoded, but not cut into prefixes. */
#define PREFIX_FILE_MAX (100u * 1024u)
#define PREFIXES        24u
/* Our PNG and WebP are the libraries' own pixels; 16 bits are brought to 8 in two ways. */
#define TOLERANCE 1u
/* A reference by another decoder of a truncated JPEG, over the rows that came. */
#define MEAN_TOLERANCE 3.0

typedef struct
{
  char *folder;
  char **fields; /* of MANIFEST.tsv */
} Entry;

/* Columns of MANIFEST.tsv. */
enum
{
  COL_REF,
  COL_FILE,
  COL_CATEGORY,
  COL_FORMAT,
  COL_WIDTH,
  COL_HEIGHT,
  COL_ORIENTATION,
  COL_VERDICT = 10,
  COL_FEATURES = 15,
  N_COLUMNS
};

static GBytes *
load (const char *path)
{
  char *contents;
  gsize length;

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  return g_bytes_new_take (contents, length);
}

static ThBytes
view (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return (ThBytes){ data, size };
}

static gboolean
is_built_in (const char *name)
{
  for (guint i = 0; th_codecs[i] != NULL; i++)
    if (strcmp (th_codecs[i]->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Pixels against the library's plain decode, at full size, where that decodes at all. */
static void
check_reference (ThBytes data)
{
  g_autoptr (Picture) ours = picture_decode (data);
  g_autoptr (Picture) reference = NULL;

  if (ours->status != TH_STATUS_OK)
    return;
  reference = picture_reference (ours->codec, data);
  if (reference != NULL)
    g_assert_cmpuint (picture_difference (ours, reference), <=, TOLERANCE);
}

static void
check_good (ThBytes data, ThStatus expected)
{
  ThSize full;

  g_assert_cmpint (check_render (data, &full), ==, expected);
  check_reference (data);
  check_prefixes (data, PREFIXES);
  check_stop (data);
}

/* Pixels, rows that are missing aside, against those that the generator meant: ref/NAME.png. */
static void
check_drawn (const char *path, const char *name, ThBytes data)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *file = g_strconcat (name, ".png", NULL);
  g_autofree char *ref = g_build_filename (folder, "..", "ref", file, NULL);
  g_autoptr (Picture) ours = NULL;
  g_autoptr (Picture) drawn = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (!is_built_in ("png") || !g_file_test (ref, G_FILE_TEST_EXISTS))
    return;
  bytes = load (ref);
  drawn = picture_decode (view (bytes));
  ours = picture_decode (data);
  g_assert_cmpint (drawn->status, ==, TH_STATUS_OK);
  g_assert_cmpuint (picture_difference (ours, drawn), <=, TOLERANCE);
}

static void
test_ok (const void *user)
{
  const char *path = user;
  g_autofree char *name = g_path_get_basename (path);
  g_autoptr (GBytes) bytes = load (path);

  check_drawn (path, name, view (bytes));
  check_good (view (bytes), g_str_has_prefix (name, "partial-") ? TH_STATUS_PARTIAL : TH_STATUS_OK);
}

static void
test_fail (const void *user)
{
  const char *path = user;
  g_autofree char *name = g_path_get_basename (path);
  g_autoptr (GBytes) bytes = load (path);
  ThSize full;
  ThStatus status = check_render (view (bytes), &full);

  g_test_message ("%s", th_status_name (status));
  g_assert_true (g_str_has_prefix (name, th_status_name (status)));
  check_reference (view (bytes));
  check_prefixes (view (bytes), PREFIXES);
}

/* Premultiplied, of 255. */
static void
average (const guint8 *rgba, gsize n, double mean[4])
{
  memset (mean, 0, 4 * sizeof *mean);
  for (gsize i = 0; i < n; i++, rgba += 4)
    {
      for (guint c = 0; c < 3; c++)
        mean[c] += rgba[c] * rgba[3] / 255.0 / (double) n;
      mean[3] += rgba[3] / (double) n;
    }
}

/* Its shrunk pixels are those of the same frame. */
static void
check_shrunk (ThBytes data, const Picture *reference)
{
  g_autoptr (Picture) shrunk = picture_shrink (data, 12);
  double ours[4], theirs[4];

  average (shrunk->rgba, (gsize) shrunk->size.width * shrunk->size.height, ours);
  average (reference->rgba, (gsize) reference->size.width * reference->size.height, theirs);
  for (guint c = 0; c < 4; c++)
    g_assert_cmpfloat_with_epsilon (ours[c], theirs[c], MEAN_TOLERANCE);
}

static void
test_made (const void *user)
{
  const MadePicture *made = user;
  ThBytes data = { made->data->data, made->data->len };
  g_autoptr (Picture) ours = picture_decode (data);
  g_autoptr (Picture) reference = picture_reference (ours->codec, data);

  const ThStatus expected = made->cut ? TH_STATUS_PARTIAL : TH_STATUS_OK;

  g_assert_true (made->strange || reference != NULL);
  g_assert_cmpint (ours->status, ==, expected);
  check_good (data, expected);
  if (!made->cut && reference != NULL)
    check_shrunk (data, reference);
}

static guint
number (const Entry *entry, guint column)
{
  return (guint) g_ascii_strtoull (entry->fields[column], NULL, 10);
}

/* References that are planes of Y'CbCr under each other are not compared. */
static void
check_other_reference (const Entry *entry, ThBytes data)
{
  const char *ref = entry->fields[COL_REF];
  g_autofree char *path = g_build_filename (entry->folder, ref, NULL);
  g_autoptr (Picture) ours = NULL;
  g_autoptr (Picture) reference = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (*ref == '\0' || g_str_has_suffix (ref, ".ycbcr.png") || !is_built_in ("png"))
    return;
  bytes = load (path);
  reference = picture_decode (view (bytes));
  ours = picture_decode (data);
  g_assert_cmpfloat (picture_mean_difference (ours, reference), <=, MEAN_TOLERANCE);
}

static void
check_decodes (const Entry *entry, ThStatus status, ThSize full)
{
  ThSize stored = { number (entry, COL_WIDTH), number (entry, COL_HEIGHT) };
  ThSize seen = th_size_oriented (stored, number (entry, COL_ORIENTATION));

  g_assert_true (th_status_has_pixels (status));
  g_assert_cmpuint (full.width, ==, seen.width);
  g_assert_cmpuint (full.height, ==, seen.height);
}

/* Where the others refuse because the file ends too early, what came of it may be shown. */
static void
check_fails (const Entry *entry, ThStatus status)
{
  static const char *const marks[] = { "truncated", "noTrailer", "overrun" };
  gboolean cut = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    cut = cut || strstr (entry->fields[COL_FEATURES], marks[i]) != NULL;
  g_assert_cmpint (status, !=, TH_STATUS_OK);
  if (!cut)
    g_assert_cmpint (status, !=, TH_STATUS_PARTIAL);
}

static void
test_picture (const void *user)
{
  const Entry *entry = user;
  const char *format = entry->fields[COL_FORMAT];
  const char *verdict = entry->fields[COL_VERDICT];
  g_autofree char *path = g_build_filename (entry->folder, entry->fields[COL_FILE], NULL);
  g_autoptr (GBytes) bytes = load (path);
  ThSize full = { 0, 0 };
  ThStatus status = check_render (view (bytes), &full);

  g_test_message ("%s", th_status_name (status));
  if (g_bytes_get_size (bytes) <= PREFIX_FILE_MAX)
    check_prefixes (view (bytes), PREFIXES);
  if (!is_built_in (format) && strcmp (verdict, "decodes") == 0)
    {
      g_assert_cmpint (status, ==, TH_STATUS_NOT_MINE);
      return;
    }
  if (strcmp (verdict, "decodes") == 0)
    check_decodes (entry, status, full);
  else if (strcmp (verdict, "fails") == 0)
    check_fails (entry, status);
  check_reference (view (bytes));
  if (th_status_has_pixels (status))
    check_other_reference (entry, view (bytes));
}

static void
entry_free (void *data)
{
  Entry *entry = data;

  g_strfreev (entry->fields);
  g_free (entry->folder);
  g_free (entry);
}

static void
add_pictures (const char *folder, GPtrArray *entries)
{
  g_autofree char *path = g_build_filename (folder, "MANIFEST.tsv", NULL);
  g_autoptr (GBytes) bytes = load (path);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++)
    {
      Entry *entry = g_new0 (Entry, 1);
      g_autofree char *name = NULL;

      entry->folder = g_strdup (folder);
      entry->fields = g_strsplit (lines[i], "\t", -1);
      g_ptr_array_add (entries, entry);
      if (g_strv_length (entry->fields) < N_COLUMNS)
        continue;
      name = g_strconcat ("/codecs/pictures/", entry->fields[COL_FILE], NULL);
      g_test_add_data_func (name, entry, test_picture);
    }
}

static void
test_without_pictures (void)
{
  g_test_skip ("TH_TEST_PICTURES is not set: its pictures, 565 when last counted, are left out");
}

static void
add_folder (const char *kind, GTestDataFunc func)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_BUILT, "codecs", "images", kind, NULL);
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *file;

  g_assert_nonnull (dir);
  while ((file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *name = g_strconcat ("/codecs/", kind, "/", file, NULL);
      char *path = g_build_filename (folder, file, NULL);
      const char *suffix = strrchr (file, '.');

      if (suffix == NULL || is_built_in (suffix + 1))
        g_test_add_data_func_full (name, path, func, g_free);
      else
        g_free (path);
    }
  g_dir_close (dir);
}

int
main (int argc, char **argv)
{
  const char *pictures = g_getenv ("TH_TEST_PICTURES");
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  g_autoptr (GPtrArray) made = made_webp_new ();

  g_test_init (&argc, &argv, NULL);
  add_folder ("ok", test_ok);
  add_folder ("fail", test_fail);
  for (guint i = 0; i < made->len && is_built_in ("webp"); i++)
    {
      MadePicture *picture = made->pdata[i];
      g_autofree char *name = g_strconcat ("/codecs/webp/", picture->name, NULL);

      g_test_add_data_func (name, picture, test_made);
    }
  if (pictures != NULL)
    add_pictures (pictures, entries);
  else
    g_test_add_func ("/codecs/pictures", test_without_pictures);
  return g_test_run ();
}
