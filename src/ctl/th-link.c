/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-link.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define OUR_FOLDER "/thimble/"

static void
set_error (GError **error, const char *what, const char *path, int number)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (number), "%s “%s”: %s", what, path,
               g_strerror (number));
}

/* The same target, or the same name in another installation's share/thimble. */
static gboolean
is_ours (const char *target, const char *found)
{
  g_autofree char *name = g_path_get_basename (target);
  g_autofree char *ending = g_strconcat (OUR_FOLDER, name, NULL);

  return strcmp (found, target) == 0 || g_str_has_suffix (found, ending);
}

/* Through a name of its own, so that there is a link at every moment. */
static gboolean
replace (const char *target, const char *path, GError **error)
{
  g_autofree char *fresh = g_strdup_printf ("%s.%d~", path, (int) getpid ());

  (void) g_unlink (fresh);
  if (symlink (target, fresh) == 0 && g_rename (fresh, path) == 0)
    return TRUE;
  set_error (error, "Cannot replace", path, errno);
  (void) g_unlink (fresh);
  return FALSE;
}

static ThLinkResult
meet (const char *target, const char *path, GError **error)
{
  g_autofree char *found = g_file_read_link (path, NULL);

  if (found == NULL || !is_ours (target, found))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                   "“%s” is not of thimble's making and stays; remove it if it is in the way",
                   path);
      return TH_LINK_FAILED;
    }
  if (strcmp (found, target) == 0)
    return TH_LINK_AS_IT_WAS;
  return replace (target, path, error) ? TH_LINK_CHANGED : TH_LINK_FAILED;
}

ThLinkResult
th_link_make (const char *target, const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      set_error (error, "Cannot make the folder", folder, errno);
      return TH_LINK_FAILED;
    }
  if (symlink (target, path) == 0)
    return TH_LINK_CHANGED;
  if (errno == EEXIST)
    return meet (target, path, error);
  set_error (error, "Cannot make", path, errno);
  return TH_LINK_FAILED;
}

ThLinkResult
th_link_remove (const char *target, const char *path, GError **error)
{
  g_autofree char *found = g_file_read_link (path, NULL);

  if (found == NULL || !is_ours (target, found))
    return TH_LINK_AS_IT_WAS;
  if (g_unlink (path) == 0)
    return TH_LINK_CHANGED;
  set_error (error, "Cannot remove", path, errno);
  return TH_LINK_FAILED;
}
