/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-volumes.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixmounts.h>
#include <glib-unix.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "engine/th-process.h"

/* From the last request to the end of the process: the next folder is often opened soon. */
#define REST_SECONDS 5u
/* One that dies is started again so often within PERIOD. */
#define MAX_RESTARTS 3u
#define PERIOD       (60 * G_USEC_PER_SEC)
/* One that says more than this within PERIOD does not talk of volumes. */
#define MAX_RECORDS 1024u
/* How long the end waits for a process that was killed. */
#define END_PATIENCE_MS 500

typedef enum
{
  TH_VOLUMES_NONE,
  TH_VOLUMES_RUNNING,
  TH_VOLUMES_ENDING, /* killed, not reaped yet; there is never a second one beside it */
} ThVolumesState;

struct _ThVolumes
{
  void (*leaving) (const char *mount_point, gpointer data);
  gpointer data;
  char *program;
  GMainContext *context;

  int table; /* /proc/self/mountinfo, to hear of changes; -1: it cannot be read */
  gboolean seen;
  gboolean any; /* as last seen: there is a volume */

  gboolean needed;
  GSource *rest;

  ThVolumesState state;
  ThProcess process;
  GSource *records;              /* while running */
  GSource *reaper;               /* while ending */
  gint64 restarts[MAX_RESTARTS]; /* when, in a ring */
  guint next;
  gint64 not_before; /* it died too often: not started again until then */
  guint n_records;   /* since counted */
  gint64 counted;
  gboolean told; /* that it cannot be started */
};

static void start (ThVolumes *volumes);

static GSource *
add_source (ThVolumes *volumes, GSource *source, GSourceFunc callback)
{
  g_source_set_callback (source, callback, volumes, NULL);
  g_source_attach (source, volumes->context);
  return source;
}

static void
drop_source (GSource **source)
{
  if (*source == NULL)
    return;
  g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

static gboolean
is_below_any (const char *path, const char *const *folders)
{
  for (guint i = 0; folders[i] != NULL; i++)
    if (g_str_has_prefix (path, folders[i]))
      return TRUE;
  return FALSE;
}

/* A volume is what somebody may unmount while the session goes on: all but the kernel's own file
 * systems and the system's folders, as GIO knows them, images of packages, and what services and
 * sessions keep for themselves (credentials, the folders of portals and of GVfs). The table of
 * mounts is all that is looked at. */
static gboolean
is_volume (GUnixMountEntry *entry)
{
  static const char *const types[] = { "ramfs", "squashfs", NULL };
  static const char *const kept[] = { "/boot/", "/run/", "/snap/", "/var/", NULL };
  static const char *const shown[] = { "/run/media/", NULL };
  const char *point = g_unix_mount_get_mount_path (entry);

  return !g_unix_mount_is_system_internal (entry)
         && !g_strv_contains (types, g_unix_mount_get_fs_type (entry))
         && (!is_below_any (point, kept) || is_below_any (point, shown));
}

static gboolean
look_for_volumes (void)
{
  GList *entries = g_unix_mounts_get (NULL);
  gboolean any = FALSE;

  for (GList *l = entries; l != NULL && !any; l = l->next)
    any = is_volume (l->data);
  g_list_free_full (entries, (GDestroyNotify) g_unix_mount_free);
  return any;
}

static gboolean
has_volumes (ThVolumes *volumes)
{
  struct pollfd item = { .fd = volumes->table, .events = POLLPRI };

  if (!volumes->seen || volumes->table < 0 || poll (&item, 1, 0) > 0)
    volumes->any = look_for_volumes ();
  volumes->seen = TRUE;
  return volumes->any;
}

/* Whether one that has died may be started again now. */
static void
count_death (ThVolumes *volumes)
{
  gint64 now = g_get_monotonic_time ();
  gint64 *oldest = &volumes->restarts[volumes->next];

  if (*oldest != 0 && now - *oldest < PERIOD)
    {
      volumes->not_before = *oldest + PERIOD;
      return;
    }
  *oldest = now;
  volumes->next = (volumes->next + 1) % MAX_RESTARTS;
}

static gboolean
on_reapable (gpointer data)
{
  ThVolumes *volumes = data;

  if (!th_process_reap (&volumes->process))
    return G_SOURCE_CONTINUE;
  drop_source (&volumes->reaper);
  volumes->state = TH_VOLUMES_NONE;
  if (volumes->needed)
    start (volumes);
  return G_SOURCE_REMOVE;
}

static gboolean
on_reapable_fd (int fd, GIOCondition condition, gpointer data)
{
  return on_reapable (data);
}

/* It has nothing to lose, so it is not asked. */
static void
end (ThVolumes *volumes)
{
  if (volumes->state != TH_VOLUMES_RUNNING)
    return;
  volumes->state = TH_VOLUMES_ENDING;
  drop_source (&volumes->records);
  th_process_hang_up (&volumes->process);
  th_process_kill (&volumes->process);
  volumes->reaper =
      volumes->process.pidfd >= 0
          ? add_source (volumes, g_unix_fd_source_new (volumes->process.pidfd, G_IO_IN),
                        G_SOURCE_FUNC (on_reapable_fd))
          : add_source (volumes, g_timeout_source_new (20), on_reapable);
}

/* An absolute path that is not the root, in one packet, with its NUL and no other. */
static gboolean
is_record (const char *record, gssize n)
{
  return n > 2 && n <= PATH_MAX && record[0] == '/' && record[1] != '/'
         && memchr (record, '\0', (gsize) n) == record + n - 1;
}

static gboolean
is_flood (ThVolumes *volumes)
{
  gint64 now = g_get_monotonic_time ();

  if (now - volumes->counted > PERIOD)
    {
      volumes->counted = now;
      volumes->n_records = 0;
    }
  return ++volumes->n_records > MAX_RECORDS;
}

/* One packet at a time, so that others have their turn too. Whatever is wrong with it or with the
 * process costs the process. */
static gboolean
on_record (int fd, GIOCondition condition, gpointer data)
{
  ThVolumes *volumes = data;
  char record[PATH_MAX];
  gssize n = recv (fd, record, sizeof record, MSG_DONTWAIT | MSG_TRUNC);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return G_SOURCE_CONTINUE;
  if (is_record (record, n) && !is_flood (volumes))
    {
      volumes->leaving (record, volumes->data);
      return G_SOURCE_CONTINUE;
    }
  count_death (volumes);
  end (volumes);
  return G_SOURCE_REMOVE;
}

static void
start (ThVolumes *volumes)
{
  g_autoptr (GError) error = NULL;

  if (g_get_monotonic_time () < volumes->not_before || !has_volumes (volumes))
    return;
  if (!th_process_start (&volumes->process, volumes->program, TH_PROCESS_AS_CALLER, &error))
    {
      if (!volumes->told)
        g_warning ("Volumes that are to be unmounted are not heard of: %s", error->message);
      volumes->told = TRUE;
      count_death (volumes);
      return;
    }
  volumes->state = TH_VOLUMES_RUNNING;
  volumes->n_records = 0;
  volumes->counted = g_get_monotonic_time ();
  volumes->records =
      add_source (volumes, g_unix_fd_source_new (volumes->process.socket, G_IO_IN | G_IO_HUP),
                  G_SOURCE_FUNC (on_record));
}

ThVolumes *
th_volumes_new (void (*leaving) (const char *mount_point, gpointer data), gpointer data)
{
  ThVolumes *volumes = g_new0 (ThVolumes, 1);

  volumes->leaving = leaving;
  volumes->data = data;
  volumes->program = th_paths_volumes ();
  volumes->context = g_main_context_ref_thread_default ();
  volumes->table = open ("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  return volumes;
}

/* What the kernel does not let go in time is left to whoever reaps our children after us. */
static void
end_now (ThVolumes *volumes)
{
  struct pollfd item = { .events = POLLIN };

  end (volumes);
  drop_source (&volumes->reaper);
  if (volumes->state == TH_VOLUMES_NONE)
    return;
  item.fd = volumes->process.pidfd;
  (void) poll (&item, 1, END_PATIENCE_MS);
  if (!th_process_reap (&volumes->process))
    th_process_abandon (&volumes->process);
}

void
th_volumes_free (ThVolumes *volumes)
{
  drop_source (&volumes->rest);
  end_now (volumes);
  if (volumes->table >= 0)
    close (volumes->table);
  g_main_context_unref (volumes->context);
  g_free (volumes->program);
  g_free (volumes);
}

void
th_volumes_need (ThVolumes *volumes)
{
  drop_source (&volumes->rest);
  volumes->needed = TRUE;
  if (volumes->state == TH_VOLUMES_NONE)
    start (volumes);
}

static gboolean
on_rested (gpointer data)
{
  ThVolumes *volumes = data;

  drop_source (&volumes->rest);
  volumes->needed = FALSE;
  end (volumes);
  return G_SOURCE_REMOVE;
}

void
th_volumes_rest (ThVolumes *volumes)
{
  if (volumes->rest == NULL && volumes->needed)
    volumes->rest = add_source (volumes, g_timeout_source_new_seconds (REST_SECONDS), on_rested);
}
