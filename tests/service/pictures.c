/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "pictures.h"

#include <string.h>

#include "cache/th-cache.h"
#include "cache/th-png-text.h"
#include "cache/th-png-write.h"
#include "cache/th-uri.h"

static void
fill (guint8 *pixels, gsize bytes, guint seed)
{
  guint32 state = seed * 2654435761u + 1;

  for (gsize i = 0; i < bytes; i++)
    {
      state = state * 1664525u + 1013904223u;
      pixels[i] = (guint8) ((i / 64 + seed) % 200 + (state >> 28));
    }
}

char *
test_picture (TestBus *bus, const char *name, guint side, guint seed)
{
  g_autofree char *path = g_build_filename (bus->pictures, name, NULL);
  g_autofree guint8 *pixels = g_malloc ((gsize) side * side * 3);
  ThImage image = { { side, side }, 3, (gsize) side * 3, pixels };
  g_autoptr (ThPngBody) body = NULL;
  g_autoptr (GBytes) bytes = NULL;

  fill (pixels, (gsize) side * side * 3, seed);
  body = th_png_encode (&image);
  g_assert_nonnull (body);
  bytes = th_png_assemble (body, NULL, 0);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
                                      (gssize) g_bytes_get_size (bytes), NULL));
  return th_uri_from_path (path);
}

char **
test_pictures (TestBus *bus, guint n, guint side)
{
  char **uris = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);

      uris[i] = test_picture (bus, name, side, i);
    }
  return uris;
}

char *
test_thumbnail (TestBus *bus, const char *uri, ThFlavor flavor)
{
  g_autoptr (ThCache) cache = th_cache_new (bus->cache, "test");

  return th_cache_path (cache, uri, flavor);
}

void
test_check_thumbnail (TestBus *bus, const char *uri, ThFlavor flavor)
{
  static const char end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
  g_autofree char *path = test_thumbnail (bus, uri, flavor);
  g_autoptr (GError) error = NULL;
  g_autoptr (ThPngText) text = th_png_text_read (path, &error);
  g_autofree char *contents = NULL;
  gsize length = 0;

  g_assert_no_error (error);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::URI"), ==, uri);
  g_assert_cmpuint (th_png_text_size (text).width, <=, th_flavor_box (flavor));
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_cmpuint (length, >, sizeof end - 1);
  g_assert_cmpmem (contents + length - (sizeof end - 1), sizeof end - 1, end, sizeof end - 1);
}
