/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-walk.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/th-uri.h"

struct _ThWalk
{
  const char *const *next; /* argument */
  gboolean hidden;
  dev_t skipped_dev;
  ino_t skipped_ino; /* 0: there is no such folder */
  FTS *tree;         /* of the folder argument that is being walked, or NULL */
};

void
th_walk_file_clear (ThWalkFile *file)
{
  g_clear_pointer (&file->uri, g_free);
  g_clear_pointer (&file->path, g_free);
}

ThWalk *
th_walk_new (const char *const *arguments, gboolean hidden, const char *skipped)
{
  ThWalk *walk = g_new0 (ThWalk, 1);
  struct stat st;

  walk->next = arguments;
  walk->hidden = hidden;
  if (stat (skipped, &st) == 0)
    {
      walk->skipped_dev = st.st_dev;
      walk->skipped_ino = st.st_ino;
    }
  return walk;
}

static void
close_tree (ThWalk *walk)
{
  if (walk->tree != NULL)
    fts_close (walk->tree);
  walk->tree = NULL;
}

void
th_walk_free (ThWalk *walk)
{
  close_tree (walk);
  g_free (walk);
}

static int
by_name (const FTSENT **a, const FTSENT **b)
{
  return strcmp ((*a)->fts_name, (*b)->fts_name);
}

static gboolean
is_regular_target (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 && S_ISREG (st.st_mode);
}

static gboolean
is_skipped_folder (const ThWalk *walk, const FTSENT *entry)
{
  return walk->skipped_ino != 0 && entry->fts_statp->st_ino == walk->skipped_ino
         && entry->fts_statp->st_dev == walk->skipped_dev;
}

static gboolean
is_hidden (const ThWalk *walk, const FTSENT *entry)
{
  return !walk->hidden && entry->fts_level > FTS_ROOTLEVEL && entry->fts_name[0] == '.';
}

static gboolean
take_found (const char *path, ThWalkFile *file)
{
  *file = (ThWalkFile){ .uri = th_uri_from_path (path), .path = g_strdup (path), .named = FALSE };
  return TRUE;
}

/* TRUE where the entry is a step of the walk. */
static gboolean
look_at (ThWalk *walk, FTSENT *entry, ThWalkFile *file, char **problem)
{
  if (is_hidden (walk, entry))
    {
      fts_set (walk->tree, entry, FTS_SKIP);
      return FALSE;
    }
  switch (entry->fts_info)
    {
    case FTS_D:
      if (is_skipped_folder (walk, entry))
        fts_set (walk->tree, entry, FTS_SKIP);
      return FALSE;
    case FTS_F:
      return take_found (entry->fts_path, file);
    case FTS_SL:
      return is_regular_target (entry->fts_path) && take_found (entry->fts_path, file);
    case FTS_DNR:
    case FTS_NS:
    case FTS_ERR:
      *problem = g_strdup_printf ("%s: %s", entry->fts_path, g_strerror (entry->fts_errno));
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
walk_tree (ThWalk *walk, ThWalkFile *file, char **problem)
{
  FTSENT *entry;

  while ((errno = 0, entry = fts_read (walk->tree)) != NULL)
    if (look_at (walk, entry, file, problem))
      return TRUE;
  if (errno != 0)
    *problem = g_strdup_printf ("The walk broke off: %s", g_strerror (errno));
  close_tree (walk);
  return *problem != NULL;
}

/* A folder becomes the tree to walk; anything else is a file, whatever is wrong with it. */
static gboolean
take_argument (ThWalk *walk, ThWalkFile *file)
{
  const char *argument = *walk->next++;
  g_autofree char *uri = th_uri_from_argument (argument);
  g_autofree char *path = th_uri_to_path (uri, NULL);
  char *roots[] = { path, NULL };

  if (path != NULL && g_file_test (path, G_FILE_TEST_IS_DIR))
    walk->tree = fts_open (roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
  if (walk->tree != NULL)
    return FALSE;
  *file =
      (ThWalkFile){ .uri = g_steal_pointer (&uri), .path = g_steal_pointer (&path), .named = TRUE };
  return TRUE;
}

ThWalkStep
th_walk_next (ThWalk *walk, ThWalkFile *file, char **problem)
{
  *file = (ThWalkFile){ NULL };
  *problem = NULL;
  for (;;)
    {
      gboolean found = FALSE;

      if (walk->tree != NULL)
        found = walk_tree (walk, file, problem);
      else if (*walk->next == NULL)
        return TH_WALK_END;
      else
        found = take_argument (walk, file);
      if (found)
        return *problem != NULL ? TH_WALK_PROBLEM : TH_WALK_FILE;
    }
}
