/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-places.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cache/th-fail.h"
#include "cache/th-folder.h"
#include "cache/th-uri.h"

#define FAILURES   "fail"
#define MD5_DIGITS 32
#define SUFFIX     ".png"
/* A handful of versions leave something; a thousand folders were made by somebody to be in the way.
 */
#define MAX_FAILURE_FOLDERS 64u

static void
clear_place (gpointer data)
{
  ThCachePlace *place = data;

  g_free (place->path);
  th_folder_close (place->folder);
}

static void
add (GArray *places, const char *path)
{
  ThCachePlace place = { NULL, th_folder_open_existing (path) };

  if (place.folder < 0)
    return;
  place.path = g_strdup (path);
  g_array_append_val (places, place);
}

static void
add_failures (GArray *places, const char *root)
{
  g_autofree char *path = g_build_filename (root, FAILURES, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir && n < MAX_FAILURE_FOLDERS && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = NULL;

      if (!g_str_has_prefix (name, TH_FAIL_PREFIX))
        continue;
      folder = g_build_filename (path, name, NULL);
      add (places, folder);
      n++;
    }
}

GArray *
th_places_open (const ThCache *cache)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (ThCachePlace));

  g_array_set_clear_func (places, clear_place);
  for (ThFlavor flavor = 0; flavor < TH_N_FLAVORS; flavor++)
    {
      g_autofree char *path =
          g_build_filename (th_cache_root (cache), th_flavor_name (flavor), NULL);

      add (places, path);
    }
  add_failures (places, th_cache_root (cache));
  return places;
}

char *
th_cache_place_path (const ThCachePlace *place, const char *uri)
{
  g_autofree char *md5 = th_uri_md5 (uri);

  return g_strconcat (place->path, "/", md5, SUFFIX, NULL);
}

gboolean
th_cache_place_remove (const ThCachePlace *place, const char *uri)
{
  g_autofree char *md5 = th_uri_md5 (uri);
  g_autofree char *name = g_strconcat (md5, SUFFIX, NULL);

  return unlinkat (place->folder, name, 0) == 0;
}

static gboolean
is_name (const char *name)
{
  return strspn (name, "0123456789abcdef") == MD5_DIGITS && strcmp (name + MD5_DIGITS, SUFFIX) == 0;
}

static void
visit_name (const ThCachePlace *place, const char *name, ThCachePlaceVisit visit, gpointer data)
{
  g_autofree char *path = g_strconcat (place->path, "/", name, NULL);
  g_autoptr (ThPngText) text = th_png_text_read (path, NULL);

  if (text)
    visit (place, name, text, data);
}

void
th_cache_place_scan (const ThCachePlace *place, ThCachePlaceVisit visit, gpointer data,
                     const gint *stop)
{
  int fd = openat (place->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
  struct dirent *entry;

  if (!folder)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  while (!g_atomic_int_get (stop) && (entry = readdir (folder)) != NULL)
    {
      if (is_name (entry->d_name))
        visit_name (place, entry->d_name, visit, data);
    }
  closedir (folder);
}
