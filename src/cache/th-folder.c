/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache/th-atomic.h"

#define STALE_SECONDS (60 * 60)

static gboolean
refuse (GError **error, const char *path, const char *why)
{
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED, "Could not save thumbnail below “%s”: %s",
               shown, why);
  return FALSE;
}

static gboolean
check_owned_folder (const char *path, const struct stat *st, GError **error)
{
  if (!S_ISDIR (st->st_mode))
    return refuse (error, path, "it is not a folder");
  if (st->st_uid != geteuid ())
    return refuse (error, path, "the folder belongs to another user");
  return TRUE;
}

static gboolean
check_existing (const char *path, const struct stat *st, GError **error)
{
  if (!check_owned_folder (path, st, error))
    return FALSE;
  if (faccessat (AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0)
    return refuse (error, path, g_strerror (errno));
  return TRUE;
}

gboolean
th_folder_check (const char *path, GError **error)
{
  g_autofree char *at = g_strdup (path);
  struct stat st;

  while (stat (at, &st) != 0)
    {
      char *parent;
      gboolean is_there;

      if (errno != ENOENT && errno != ENOTDIR)
        return refuse (error, at, g_strerror (errno));
      is_there = lstat (at, &st) == 0;
      if (is_there && S_ISLNK (st.st_mode))
        return refuse (error, at, "it is a symbolic link that leads nowhere");
      /* Another thread made it in between. */
      if (is_there)
        continue;
      parent = g_path_get_dirname (at);
      g_free (at);
      at = parent;
    }
  return check_existing (at, &st, error);
}

static gboolean
make_folder (const char *path, GError **error)
{
  if (mkdir (path, 0700) == 0)
    {
      /* Made just now, so it is ours to set whatever the umask has left. */
      (void) !chmod (path, 0700);
      return TRUE;
    }
  return errno == EEXIST || refuse (error, path, g_strerror (errno));
}

static gboolean
make_with_parents (const char *path, GError **error)
{
  g_autofree char *at = g_strdup (path);

  for (char *slash = strchr (at + 1, '/'); slash; slash = strchr (slash + 1, '/'))
    {
      gboolean made;

      *slash = '\0';
      made = access (at, F_OK) == 0 || make_folder (at, error);
      *slash = '/';
      if (!made)
        return FALSE;
    }
  return make_folder (at, error);
}

static int
open_folder (const char *path)
{
  return open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int
th_folder_open (const char *root, const char *path, GError **error)
{
  int folder = open_folder (path);
  struct stat st;

  if (folder < 0 && (errno == ENOENT || errno == ENOTDIR))
    {
      if (!th_folder_check (root, error) || !make_with_parents (path, error))
        return -1;
      folder = open_folder (path);
    }
  if (folder < 0)
    {
      refuse (error, path, g_strerror (errno));
      return -1;
    }
  if (fstat (folder, &st) != 0)
    refuse (error, path, g_strerror (errno));
  else if (check_owned_folder (path, &st, error))
    return folder;
  close (folder);
  return -1;
}

int
th_folder_open_existing (const char *path)
{
  int folder = open_folder (path);
  struct stat st;

  if (folder < 0)
    return -1;
  if (fstat (folder, &st) == 0 && check_owned_folder (path, &st, NULL))
    return folder;
  close (folder);
  return -1;
}

void
th_folder_close (int folder)
{
  close (folder);
}

static void
remove_if_stale (int folder, const char *name, time_t now)
{
  struct stat st;

  if (fstatat (folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG (st.st_mode)
      && st.st_mtim.tv_sec < now - STALE_SECONDS)
    unlinkat (folder, name, 0);
}

void
th_folder_remove_stale_temporaries (const char *path)
{
  DIR *folder = opendir (path);
  time_t now = time (NULL);
  struct dirent *entry;
  struct stat st;

  if (!folder)
    return;
  if (fstat (dirfd (folder), &st) == 0 && st.st_uid == geteuid ())
    {
      while ((entry = readdir (folder)) != NULL)
        {
          if (th_atomic_is_temporary (entry->d_name))
            remove_if_stale (dirfd (folder), entry->d_name, now);
        }
    }
  closedir (folder);
}
