/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-guess.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <sys/stat.h>
#include <unistd.h>

#define SNIFF_BYTES 4096u

/* Regular files only, and nothing is waited for: opening anything else could act on a device. */
static gsize
read_head (const char *path, guint8 *head)
{
  struct stat st;
  gssize n;
  int fd;

  if (stat (path, &st) != 0 || !S_ISREG (st.st_mode))
    return 0;
  fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  n = read (fd, head, SNIFF_BYTES);
  close (fd);
  return n > 0 ? (gsize) n : 0;
}

static const char *
intern_mime_type (const char *content_type)
{
  g_autofree char *mime_type = g_content_type_get_mime_type (content_type);

  return g_intern_string (mime_type != NULL ? mime_type : "application/octet-stream");
}

const char *
th_guess_type (const char *uri, const char *path)
{
  const char *name = path != NULL ? path : uri;
  guint8 head[SNIFF_BYTES];
  gboolean uncertain = FALSE;
  g_autofree char *by_name = g_content_type_guess (name, NULL, 0, &uncertain);
  g_autofree char *by_data = NULL;
  gsize n = uncertain && path != NULL ? read_head (path, head) : 0;

  if (n == 0)
    return intern_mime_type (by_name);
  by_data = g_content_type_guess (name, head, n, NULL);
  return intern_mime_type (by_data);
}
