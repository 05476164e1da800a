/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-readers.h"

#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

#include "base/th-paths.h"
#include "engine/th-readers-private.h"

#define MIB (1024u * (guint64) 1024u)
/* One that was asked to end is killed after this. */
#define END_PATIENCE (1 * G_USEC_PER_SEC)
/* How long one that was told to let go of a file is still given the next one. */
#define CLOSE_PATIENCE (G_USEC_PER_SEC / 10)
/* Processes that were given up, and that the kernel does not let go as long as some server does not
 * answer. Beyond so many no new ones are started. */
#define MAX_ENDED 64u
/* How often tending looks for the ended ones: the longer one has been, the rarer. */
#define REAP_SOONEST  (20 * 1000)
#define REAP_LATEST   (5 * G_USEC_PER_SEC)
#define LOOK_INTERVAL (1 * G_USEC_PER_SEC)
/* How long th_readers_free waits for the processes to end. */
#define FREE_PATIENCE (G_USEC_PER_SEC / 2)

#define SHUTTING_DOWN "the service is shutting down"

struct _ThReaders
{
  ThReadersOptions options;
  char *program;
  GMutex lock; /* of all below */
  GQueue idle; /* most recently used first, so that the others age */
  GQueue busy;
  GQueue ended; /* not reaped yet */
  gboolean closed;
};

void
th_readers_options_init (ThReadersOptions *options)
{
  *options = (ThReadersOptions){
    .stall_ms = 10000,
    .total_ms = 20000,
    .max_bytes = 64 * MIB,
    .idle_ms = 5000,
  };
}

ThReaders *
th_readers_new (const ThReadersOptions *options)
{
  ThReaders *readers = g_new0 (ThReaders, 1);

  g_mutex_init (&readers->lock);
  readers->options = *options;
  readers->program = options->program != NULL ? g_strdup (options->program) : th_paths_reader ();
  readers->options.program = readers->program;
  return readers;
}

const ThReadersOptions *
th_readers_get_options (ThReaders *readers)
{
  return &readers->options;
}

/* Under the lock, as all that follows up to the next such word. */
static void
forget_place (ThReader *reader)
{
  g_clear_pointer (&reader->where, g_free);
  g_clear_pointer (&reader->path, g_free);
  g_clear_pointer (&reader->left, g_ptr_array_unref);
}

static void
kill_reader (ThReader *reader)
{
  th_process_kill (&reader->process);
  reader->killed = TRUE;
}

/* Out of sight, to be reaped. */
static void
bury (ThReaders *readers, ThReader *reader, gboolean kill_it)
{
  forget_place (reader);
  th_process_hang_up (&reader->process);
  if (kill_it)
    kill_reader (reader);
  reader->since = g_get_monotonic_time ();
  g_queue_push_tail (&readers->ended, reader);
}

static void
reap (ThReaders *readers)
{
  gint64 now = g_get_monotonic_time ();
  GList *next;

  for (GList *l = readers->ended.head; l != NULL; l = next)
    {
      ThReader *reader = l->data;

      next = l->next;
      if (th_process_reap (&reader->process))
        {
          g_queue_delete_link (&readers->ended, l);
          g_free (reader);
        }
      else if (!reader->killed && now - reader->since >= END_PATIENCE)
        kill_reader (reader);
    }
}

static gboolean
is_quiet (const ThReader *reader)
{
  struct pollfd item = { .fd = reader->process.socket, .events = POLLIN };

  return poll (&item, 1, 0) == 0;
}

/* Hears whether it has let go of what it held. FALSE: it is of no use any more. */
static gboolean
hear_closing (ThReader *reader)
{
  ThReaderMessage message;

  if (reader->closing == 0 || is_quiet (reader))
    return TRUE;
  if (th_reader_wire_receive (reader->process.socket, &message, NULL) != TH_WIRE_GOT
      || !th_reader_has_closed (reader, &message))
    return FALSE;
  forget_place (reader);
  return TRUE;
}

static gboolean
is_usable (ThReader *reader)
{
  return hear_closing (reader) && (reader->closing != 0 || is_quiet (reader));
}

/* One that was told to let go will do so in a moment, and is not worth a new process. */
static gboolean
is_ready (const ThReader *reader)
{
  return reader->closing == 0 || g_get_monotonic_time () - reader->since < CLOSE_PATIENCE;
}

/* One that is ready, of this kind, and as urgent as the calling thread: an idle one could not
 * become urgent again. Those that turn out to be gone are buried. */
static ThReader *
take_idle (ThReaders *readers, gboolean gvfs)
{
  int policy = sched_getscheduler (0);
  GList *next;

  for (GList *l = readers->idle.head; l != NULL; l = next)
    {
      ThReader *reader = l->data;
      gboolean usable = is_usable (reader);

      next = l->next;
      if (usable && (!is_ready (reader) || reader->gvfs != gvfs || reader->policy != policy))
        continue;
      g_queue_delete_link (&readers->idle, l);
      if (usable)
        return reader;
      bury (readers, reader, TRUE);
    }
  return NULL;
}

static void
end_idle (ThReaders *readers, gint64 now)
{
  GList *next;

  for (GList *l = readers->idle.head; l != NULL; l = next)
    {
      ThReader *reader = l->data;
      gboolean usable = is_usable (reader);
      guint patience_ms =
          reader->closing != 0 ? readers->options.stall_ms : readers->options.idle_ms;

      next = l->next;
      if (usable && !readers->closed && now - reader->since < (gint64) patience_ms * 1000)
        continue;
      g_queue_delete_link (&readers->idle, l);
      bury (readers, reader, reader->closing != 0 || !usable);
    }
}

static gint64
next_time (ThReaders *readers, gint64 now)
{
  gint64 next = readers->idle.length + readers->busy.length > 0 ? LOOK_INTERVAL : G_MAXINT64;

  for (GList *l = readers->ended.head; l != NULL; l = l->next)
    {
      gint64 age = now - ((ThReader *) l->data)->since;

      next = MIN (next, CLAMP (age, REAP_SOONEST, REAP_LATEST));
    }
  return next == G_MAXINT64 ? 0 : now + next;
}

static gboolean
is_below (const char *name, const char *place)
{
  gsize length = strlen (place);

  while (length > 0 && place[length - 1] == '/')
    length--;
  return name != NULL && strncmp (name, place, length) == 0
         && (name[length] == '/' || name[length] == '\0');
}

/* Whoever waits for it is woken also where the kernel does not let it die. */
static void
cancel (ThReader *reader)
{
  reader->cancelled = TRUE;
  if (!reader->running)
    return;
  kill_reader (reader);
  shutdown (reader->process.socket, SHUT_RDWR);
}

static void
leave_busy (ThReader *reader, const char *place)
{
  if (is_below (reader->where, place) || is_below (reader->path, place))
    {
      cancel (reader);
      return;
    }
  if (reader->left == NULL)
    reader->left = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (reader->left, g_strdup (place));
}

static void
leave_idle (ThReaders *readers, const char *place)
{
  GList *next;

  for (GList *l = readers->idle.head; l != NULL; l = next)
    {
      ThReader *reader = l->data;

      next = l->next;
      if (!is_below (reader->where, place) && !is_below (reader->path, place))
        continue;
      g_queue_delete_link (&readers->idle, l);
      bury (readers, reader, TRUE);
    }
}

/* Up to here under the lock. */
void
th_readers_leave (ThReaders *readers, const char *path)
{
  g_mutex_lock (&readers->lock);
  for (GList *l = readers->busy.head; l != NULL; l = l->next)
    leave_busy (l->data, path);
  leave_idle (readers, path);
  g_mutex_unlock (&readers->lock);
}

void
th_readers_close (ThReaders *readers)
{
  g_mutex_lock (&readers->lock);
  readers->closed = TRUE;
  for (GList *l = readers->busy.head; l != NULL; l = l->next)
    cancel (l->data);
  end_idle (readers, g_get_monotonic_time ());
  g_mutex_unlock (&readers->lock);
}

gint64
th_readers_tend (ThReaders *readers)
{
  gint64 now = g_get_monotonic_time ();
  gint64 again;

  g_mutex_lock (&readers->lock);
  end_idle (readers, now);
  reap (readers);
  again = next_time (readers, now);
  g_mutex_unlock (&readers->lock);
  return again;
}

gboolean
th_readers_is_cancelled (ThReaders *readers, ThReader *reader)
{
  gboolean cancelled;

  g_mutex_lock (&readers->lock);
  cancelled = reader->cancelled;
  g_mutex_unlock (&readers->lock);
  return cancelled;
}

gboolean
th_readers_note_path (ThReaders *readers, ThReader *reader, const char *path)
{
  gboolean stays;

  g_mutex_lock (&readers->lock);
  g_free (reader->path);
  reader->path = g_strdup (path);
  for (guint i = 0; reader->left != NULL && i < reader->left->len && !reader->cancelled; i++)
    if (is_below (path, reader->left->pdata[i]))
      cancel (reader);
  stays = !reader->cancelled;
  g_mutex_unlock (&readers->lock);
  return stays;
}

static gboolean
refuse (GError **error, int code, const char *text)
{
  g_set_error_literal (error, G_IO_ERROR, code, text);
  return FALSE;
}

/* FALSE: neither is there one nor may one be started. */
static gboolean
look_for_idle (ThReaders *readers, const char *where, ThReader **found, GError **error)
{
  gboolean gvfs = where[0] != '/';

  *found = NULL;
  reap (readers);
  if (readers->closed)
    return refuse (error, G_IO_ERROR_CANCELLED, SHUTTING_DOWN);
  *found = take_idle (readers, gvfs);
  if (*found == NULL)
    *found = take_idle (readers, !gvfs);
  if (*found == NULL)
    return readers->ended.length < MAX_ENDED
           || refuse (error, G_IO_ERROR_TIMED_OUT,
                      "too many processes wait for servers that do not answer");
  forget_place (*found);
  (*found)->where = g_strdup (where);
  (*found)->gvfs = (*found)->gvfs || gvfs;
  g_queue_push_tail (&readers->busy, *found);
  return TRUE;
}

/* Before there is a process, so that it can be cancelled at any time. NULL: closed meanwhile. */
static ThReader *
register_reader (ThReaders *readers, const char *where, GError **error)
{
  ThReader *reader = NULL;

  g_mutex_lock (&readers->lock);
  if (!readers->closed)
    {
      reader = g_new0 (ThReader, 1);
      reader->where = g_strdup (where);
      reader->policy = sched_getscheduler (0);
      reader->gvfs = where[0] != '/';
      g_queue_push_tail (&readers->busy, reader);
    }
  g_mutex_unlock (&readers->lock);
  if (reader == NULL)
    refuse (error, G_IO_ERROR_CANCELLED, SHUTTING_DOWN);
  return reader;
}

static void
unregister_reader (ThReaders *readers, ThReader *reader)
{
  g_mutex_lock (&readers->lock);
  g_queue_remove (&readers->busy, reader);
  forget_place (reader);
  g_free (reader);
  g_mutex_unlock (&readers->lock);
}

static gboolean
run (ThReaders *readers, ThReader *reader, GError **error)
{
  ThProcess process;

  if (!th_process_start (&process, readers->program, TH_PROCESS_AS_CALLER, error))
    return FALSE;
  g_mutex_lock (&readers->lock);
  reader->process = process;
  reader->running = TRUE;
  if (reader->cancelled)
    cancel (reader);
  g_mutex_unlock (&readers->lock);
  return TRUE;
}

/* Not under the lock: it takes milliseconds. */
static ThReader *
start (ThReaders *readers, const char *where, GError **error)
{
  ThReader *reader = register_reader (readers, where, error);
  g_autoptr (GError) local = NULL;

  if (reader == NULL)
    return NULL;
  if (run (readers, reader, &local) && th_reader_greets (reader, &local))
    return reader;
  if (th_readers_is_cancelled (readers, reader))
    refuse (error, G_IO_ERROR_CANCELLED, "it is not wanted any more");
  else
    refuse (error, G_IO_ERROR_FAILED, local->message);
  if (reader->running)
    th_readers_release (readers, reader, TH_READER_LOST);
  else
    unregister_reader (readers, reader);
  return NULL;
}

ThReader *
th_readers_acquire (ThReaders *readers, const char *where, GError **error)
{
  ThReader *reader = NULL;
  gboolean may_start;

  g_mutex_lock (&readers->lock);
  may_start = look_for_idle (readers, where, &reader, error);
  g_mutex_unlock (&readers->lock);
  return reader == NULL && may_start ? start (readers, where, error) : reader;
}

void
th_readers_release (ThReaders *readers, ThReader *reader, ThReaderEnd end)
{
  g_mutex_lock (&readers->lock);
  g_queue_remove (&readers->busy, reader);
  reader->since = g_get_monotonic_time ();
  if (end == TH_READER_HOLDS)
    reader->closing = reader->request;
  if (end == TH_READER_LOST || reader->cancelled || readers->closed)
    bury (readers, reader, TRUE);
  else
    {
      if (end == TH_READER_DONE)
        forget_place (reader);
      g_queue_push_head (&readers->idle, reader);
    }
  g_mutex_unlock (&readers->lock);
}

/* Under the lock, which nobody else wants any more. */
static void
wait_for_ended (ThReaders *readers)
{
  gint64 end = g_get_monotonic_time () + FREE_PATIENCE;

  for (GList *l = readers->ended.head; l != NULL; l = l->next)
    kill_reader (l->data);
  reap (readers);
  while (readers->ended.length > 0 && g_get_monotonic_time () < end)
    {
      g_usleep (1000);
      reap (readers);
    }
}

/* Killed, but the kernel does not let it go: what reaps it is the end of this process. */
static void
abandon (gpointer data)
{
  ThReader *reader = data;

  th_process_abandon (&reader->process);
  g_free (reader);
}

void
th_readers_free (ThReaders *readers)
{
  th_readers_close (readers);
  g_mutex_lock (&readers->lock);
  wait_for_ended (readers);
  g_queue_clear_full (&readers->ended, abandon);
  g_mutex_unlock (&readers->lock);
  g_mutex_clear (&readers->lock);
  g_free (readers->program);
  g_free (readers);
}
