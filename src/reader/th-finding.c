/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "reader/th-finding.h"

#include <unistd.h>

#include "reader/th-look-path.h"
#include "reader/th-look-uri.h"

/* A file of recent: may lie in the trash, which leads to a path; more is a loop. */
#define MAX_HOPS 4u

void
th_finding_clear (ThFinding *finding)
{
  g_free (finding->mime_type);
  g_free (finding->asked);
  g_free (finding->path);
  g_clear_object (&finding->file);
  g_clear_object (&finding->preview);
  if (finding->hold >= 0)
    close (finding->hold);
  *finding = (ThFinding){ .device = finding->device, .hold = -1 };
}

/* Where a URI of a local file leads is a path. NULL and an error: it names another machine. */
static char *
simplify (char *uri, GError **error)
{
  g_autofree char *owned = uri;
  g_autofree char *host = NULL;
  g_autofree char *path = NULL;

  if (g_strcmp0 (g_uri_peek_scheme (uri), "file") != 0)
    return g_steal_pointer (&owned);
  path = g_filename_from_uri (uri, &host, NULL);
  if (path != NULL && (host == NULL || g_ascii_strcasecmp (host, "localhost") == 0))
    return g_steal_pointer (&path);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME, "“%s” is not a local file", uri);
  return NULL;
}

static gboolean
follow (ThFinding *finding, const char *where, ThFindingCare care, ThPulse *pulse, GError **error)
{
  g_autofree char *at = g_strdup (where);

  for (guint hop = 0; hop <= MAX_HOPS; hop++)
    {
      char *next = NULL;

      if (at[0] == '/')
        {
          g_clear_object (&finding->preview);
          return th_look_path (finding, at, care, error);
        }
      if (!th_look_uri (finding, at, &next, pulse, error))
        return FALSE;
      if (next == NULL)
        return TRUE;
      g_free (at);
      at = simplify (next, error);
      if (at == NULL)
        return FALSE;
    }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_TOO_MANY_LINKS,
               "“%s” leads to something that leads on, and so on", where);
  return FALSE;
}

gboolean
th_finding_resolve (ThFinding *finding, const char *where, ThFindingCare care, ThPulse *pulse,
                    GError **error)
{
  gboolean found;

  th_finding_clear (finding);
  found = follow (finding, where, care, pulse, error);
  if (!found)
    th_finding_clear (finding);
  return found;
}

gboolean
th_finding_equal (const ThFinding *a, const ThFinding *b)
{
  if ((a->file == NULL) != (b->file == NULL))
    return FALSE;
  if (a->file != NULL && !g_file_equal (a->file, b->file))
    return FALSE;
  return a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino
         && a->st.st_mode == b->st.st_mode && a->st.st_size == b->st.st_size
         && a->st.st_mtim.tv_sec == b->st.st_mtim.tv_sec
         && a->st.st_mtim.tv_nsec == b->st.st_mtim.tv_nsec;
}
