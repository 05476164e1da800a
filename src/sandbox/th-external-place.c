/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-external-place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/th-bwrap.h"
#include "sandbox/th-child.h"

#define FOLDER_PREFIX "thimble-external-"
#define OUTPUT_NAME   "thumbnail.png"
#define EXTENSION_MAX 16u
/* Folders within folders that are gone through to remove them. */
#define MAX_DEPTH 32u

/* ".mkv", or "" where there is none of the usual shape. */
static const char *
extension_of (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr (name, '.');

  if (dot == NULL || dot == name || dot[1] == '\0' || strlen (dot + 1) > EXTENSION_MAX)
    return "";
  for (const char *at = dot + 1; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && strchr ("_-+", *at) == NULL)
      return "";
  return dot;
}

static char *
make_folder (GError **error)
{
  const char *parent = g_get_user_runtime_dir ();
  g_autofree char *path = NULL;

  if (access (parent, W_OK | X_OK) != 0)
    parent = g_get_tmp_dir ();
  path = g_build_filename (parent, FOLDER_PREFIX "XXXXXX", NULL);
  if (g_mkdtemp (path) != NULL)
    return g_steal_pointer (&path);
  th_child_fail (parent, errno, error);
  return NULL;
}

gboolean
th_external_place_init (ThExternalPlace *place, gboolean sandboxed, const char *source_path,
                        GError **error)
{
  *place = (ThExternalPlace){ 0 };
  if (sandboxed)
    {
      place->source = g_strconcat (TH_BWRAP_SOURCE_DIR "/file", extension_of (source_path), NULL);
      place->output = g_strdup (TH_BWRAP_OUTPUT);
      return TRUE;
    }
  place->folder = make_folder (error);
  if (place->folder == NULL)
    return FALSE;
  place->source = g_strdup (source_path);
  place->output = g_build_filename (place->folder, OUTPUT_NAME, NULL);
  return TRUE;
}

static void remove_at (int parent, const char *name, guint depth);

static void
empty (int folder, guint depth)
{
  DIR *dir = fdopendir (folder);
  struct dirent *entry;

  if (dir == NULL)
    {
      close (folder);
      return;
    }
  while ((entry = readdir (dir)) != NULL)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      remove_at (dirfd (dir), entry->d_name, depth);
  closedir (dir);
}

static void
remove_at (int parent, const char *name, guint depth)
{
  int folder;

  if (unlinkat (parent, name, 0) == 0 || depth >= MAX_DEPTH)
    return;
  folder = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0)
    empty (folder, depth + 1);
  unlinkat (parent, name, AT_REMOVEDIR);
}

void
th_external_place_clear (ThExternalPlace *place)
{
  if (place->folder != NULL)
    remove_at (AT_FDCWD, place->folder, 0);
  g_clear_pointer (&place->folder, g_free);
  g_clear_pointer (&place->source, g_free);
  g_clear_pointer (&place->output, g_free);
}

gboolean
th_external_place_owns (const char *path)
{
  return strstr (path, "/" FOLDER_PREFIX) != NULL;
}
