/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "appender.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/th-bytes.h"

struct _Appender
{
  AppenderPlan plan;
  char *path;
  int fd;
  guint next;
  gint64 since; /* when the last write began */
  gint64 longest;
  gint stopped;
  GThread *thread;
};

static void
write_piece (Appender *appender)
{
  const AppenderPlan *plan = &appender->plan;
  gsize from = plan->size * appender->next / plan->pieces;
  gsize to = plan->size * (appender->next + 1) / plan->pieces;
  gint64 began = g_get_monotonic_time ();
  gint64 ended;

  if (appender->fd < 0)
    appender->fd = open (appender->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  g_assert_cmpint (appender->fd, >=, 0);
  g_assert_cmpint (write (appender->fd, plan->data + from, to - from), ==, (gssize) (to - from));
  if (plan->reopen)
    close (g_steal_fd (&appender->fd));
  ended = g_get_monotonic_time ();
  if (appender->next++ > 0)
    appender->longest = MAX (appender->longest, ended - appender->since);
  appender->since = began;
}

static gpointer
write_rest (gpointer data)
{
  Appender *appender = data;

  while (appender->next < appender->plan.pieces && !g_atomic_int_get (&appender->stopped))
    {
      g_usleep (appender->plan.pause_ms * 1000ul);
      write_piece (appender);
    }
  return NULL;
}

Appender *
appender_start (const AppenderPlan *plan)
{
  Appender *appender = g_new0 (Appender, 1);

  appender->plan = *plan;
  appender->path = g_strdup (plan->path);
  appender->fd = -1;
  write_piece (appender);
  appender->thread = g_thread_new ("appender", write_rest, appender);
  return appender;
}

void
appender_stop (Appender *appender)
{
  g_atomic_int_set (&appender->stopped, 1);
}

gint64
appender_end (Appender *appender)
{
  gint64 longest;

  g_thread_join (appender->thread);
  longest = appender->longest;
  if (appender->fd >= 0)
    close (appender->fd);
  g_free (appender->path);
  g_free (appender);
  return longest;
}

/* What all IDAT chunks hold. */
static GByteArray *
read_pixels (const char *path)
{
  GByteArray *pixels = g_byte_array_new ();
  g_autofree char *contents = NULL;
  ThBytes file = { 0 };
  ThBytes chunk;
  guint32 length;

  g_assert_true (g_file_get_contents (path, &contents, &file.size, NULL));
  file.data = (const guint8 *) contents;
  for (gsize at = 8; th_bytes_u32 (file, at, TRUE, &length); at += 12 + (gsize) length)
    {
      g_assert_true (th_bytes_slice (file, at + 4, (gsize) length + 4, &chunk));
      if (th_bytes_starts_with (chunk, "IDAT", 4))
        g_byte_array_append (pixels, chunk.data + 4, length);
    }
  return pixels;
}

gboolean
same_pixels (const char *path, const char *other)
{
  g_autoptr (GByteArray) a = read_pixels (path);
  g_autoptr (GByteArray) b = read_pixels (other);

  g_assert_cmpuint (a->len, >, 0);
  return a->len == b->len && memcmp (a->data, b->data, a->len) == 0;
}
