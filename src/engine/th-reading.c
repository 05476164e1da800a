/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-readers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/th-readers-private.h"
#include "wire/th-plan.h"

/* From the start of the program to its greeting. */
#define HELLO_PATIENCE (5 * G_USEC_PER_SEC)
#define NEEDED_SEALS   (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)
/* No code of G_IO_ERROR, of which 0 is one. */
#define ANSWERED (-1)

struct _ThReading
{
  ThReaders *readers;
  ThReader *reader; /* NULL: given up */
  char *where;
  gboolean reused;  /* it has served before */
  gboolean closing; /* and had not yet let go of what it served */
  int over;         /* why it was given up: a code of G_IO_ERROR */
  gboolean holds;
};

/* One request and its answer. */
typedef struct
{
  ThReaderMessage message;
  int fd; /* that came with the answer; -1: none */
} Exchange;

static const guint32 hows[] = {
  [TH_READ_COPY] = TH_READER_COPY,
  [TH_READ_DIRECT] = TH_READER_DIRECT,
  [TH_READ_PREVIEW] = TH_READER_PREVIEW,
};

gboolean
th_reader_wait (const ThReader *reader, gint64 end)
{
  struct pollfd item = { .fd = reader->process.socket, .events = POLLIN };

  for (;;)
    {
      gint64 left = (end - g_get_monotonic_time () + 999) / 1000;
      int n = poll (&item, 1, (int) CLAMP (left, 0, G_MAXINT));

      if (n > 0)
        return TRUE;
      if (n == 0 ? left <= 0 : errno != EINTR)
        return FALSE;
    }
}

static gboolean
refuse (GError **error, int code, const char *text)
{
  g_set_error_literal (error, G_IO_ERROR, code, text);
  return FALSE;
}

gboolean
th_reader_greets (const ThReader *reader, GError **error)
{
  gint64 end = g_get_monotonic_time () + HELLO_PATIENCE;
  ThReaderMessage message;

  if (!th_reader_wait (reader, end))
    return refuse (error, G_IO_ERROR_FAILED, "thimble-reader did not start in time");
  if (th_reader_wire_receive (reader->process.socket, &message, NULL) != TH_WIRE_GOT
      || message.head.type != TH_READER_HELLO)
    return refuse (error, G_IO_ERROR_FAILED, "thimble-reader ended at its start");
  if (strcmp (message.hello.build, TH_VERSION) != 0)
    return refuse (error, G_IO_ERROR_FAILED, "thimble-reader is of another version");
  return TRUE;
}

gboolean
th_reader_has_closed (ThReader *reader, const ThReaderMessage *message)
{
  if (reader->closing == 0 || message->head.request != reader->closing
      || message->head.type != TH_READER_VERDICT)
    return FALSE;
  reader->closing = 0;
  return TRUE;
}

void
th_facts_clear (ThFacts *facts)
{
  g_free (facts->path);
  g_free (facts->mime_type);
  *facts = (ThFacts){ 0 };
}

static const char *
describe_end (int code)
{
  switch (code)
    {
    case G_IO_ERROR_TIMED_OUT:
      return "it does not answer";
    case G_IO_ERROR_BUSY:
      return "it answers too slowly";
    case G_IO_ERROR_CANCELLED:
      return "it is not wanted any more";
    default:
      return "the process that looks at it has failed";
    }
}

static gboolean
fail (const ThReading *reading, int code, GError **error)
{
  g_autofree char *shown = g_filename_display_name (reading->where);

  g_set_error (error, G_IO_ERROR, code, "“%s”: %s", shown, describe_end (code));
  return FALSE;
}

/* The process is of no use any more, for this reason or because it was cancelled. */
static gboolean
give_up (ThReading *reading, int code, GError **error)
{
  reading->over =
      th_readers_is_cancelled (reading->readers, reading->reader) ? G_IO_ERROR_CANCELLED : code;
  th_readers_release (reading->readers, g_steal_pointer (&reading->reader), TH_READER_LOST);
  return fail (reading, reading->over, error);
}

/* Waits for anything but progress. ANSWERED, or the code to give up with. */
static int
receive (ThReading *reading, Exchange *exchange)
{
  const ThReadersOptions *options = th_readers_get_options (reading->readers);
  ThReader *reader = reading->reader;
  gint64 now = g_get_monotonic_time ();
  gint64 total_end = now + (gint64) options->total_ms * 1000;

  for (;;)
    {
      gint64 stall_end = now + (gint64) options->stall_ms * 1000;

      if (!th_reader_wait (reader, MIN (stall_end, total_end)))
        return stall_end <= total_end ? G_IO_ERROR_TIMED_OUT : G_IO_ERROR_BUSY;
      if (th_reader_wire_receive (reader->process.socket, &exchange->message, &exchange->fd)
          != TH_WIRE_GOT)
        return G_IO_ERROR_FAILED;
      if (th_reader_has_closed (reader, &exchange->message))
        reading->closing = FALSE;
      else if (exchange->message.head.request != reader->request)
        return G_IO_ERROR_FAILED;
      else if (exchange->message.head.type != TH_READER_PROGRESS)
        return ANSWERED;
      now = g_get_monotonic_time ();
      if (now >= total_end)
        return G_IO_ERROR_BUSY;
    }
}

/* What a reader says about a file that it cannot bring. */
static void
believe_error (const ThReaderFailed *failed, GError **error)
{
  g_autofree char *text = th_plan_safe_text (failed->text);
  int code = failed->code;

  if (failed->domain == TH_READER_FILE_ERROR)
    g_set_error_literal (error, G_FILE_ERROR,
                         code >= 0 && code < G_FILE_ERROR_FAILED ? code : G_FILE_ERROR_FAILED,
                         text);
  else
    g_set_error_literal (error, G_IO_ERROR,
                         code >= 0 && code != G_IO_ERROR_CANCELLED ? code : G_IO_ERROR_FAILED,
                         text);
}

static void
exchange_clear (Exchange *exchange)
{
  if (exchange->fd >= 0)
    close (g_steal_fd (&exchange->fd));
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Exchange, exchange_clear)

static void
prepare (ThReading *reading, Exchange *exchange, ThReaderType type)
{
  exchange->fd = -1;
  th_reader_wire_init (&exchange->message, type,
                       reading->reader != NULL ? ++reading->reader->request : 0);
}

/* Sends what was prepared and waits for an answer of this type. */
static gboolean
ask (ThReading *reading, Exchange *exchange, ThReaderType type, GError **error)
{
  int broken;

  if (reading->reader == NULL)
    return fail (reading, reading->over, error);
  if (!th_reader_wire_send (reading->reader->process.socket, &exchange->message, -1, FALSE, NULL))
    return give_up (reading, G_IO_ERROR_FAILED, error);
  broken = receive (reading, exchange);
  if (broken != ANSWERED)
    return give_up (reading, broken, error);
  if (exchange->message.head.type == type)
    return TRUE;
  if (exchange->message.head.type != TH_READER_FAILED
      || exchange->message.failed.domain >= TH_READER_N_DOMAINS)
    return give_up (reading, G_IO_ERROR_FAILED, error);
  believe_error (&exchange->message.failed, error);
  return FALSE;
}

static gboolean
are_plausible (const ThReaderFacts *said)
{
  return said->inode_lasts <= 1 && said->readable <= 1 && said->has_preview <= 1
         && said->st.st_size >= 0 && said->st.st_mtim.tv_nsec >= 0
         && said->st.st_mtim.tv_nsec < 1000000000
         && (said->path[0] == '\0' || said->path[0] == '/');
}

/* Replaces what facts have. */
static gboolean
take_facts (ThReading *reading, const ThReaderFacts *said, ThFacts *facts, GError **error)
{
  th_facts_clear (facts);
  if (!are_plausible (said))
    return give_up (reading, G_IO_ERROR_FAILED, error);
  if (said->path[0] != '\0'
      && !th_readers_note_path (reading->readers, reading->reader, said->path))
    return give_up (reading, G_IO_ERROR_CANCELLED, error);
  *facts = (ThFacts){
    .st = said->st,
    .stamp = {
      .mtime = said->st.st_mtim.tv_sec,
      .mtime_ns = (guint32) said->st.st_mtim.tv_nsec,
      .size = (guint64) said->st.st_size,
      .inode = said->inode_lasts ? said->st.st_ino : 0,
    },
    .readable = said->readable,
    .has_preview = said->has_preview,
    .path = said->path[0] != '\0' ? g_strdup (said->path) : NULL,
    .mime_type = th_plan_is_mime_type (said->mime_type) ? g_strdup (said->mime_type) : NULL,
  };
  return TRUE;
}

static ThReading *
reading_new (ThReaders *readers, const char *where, GError **error)
{
  ThReader *reader = th_readers_acquire (readers, where, error);
  ThReading *reading;

  if (reader == NULL)
    return NULL;
  reading = g_new0 (ThReading, 1);
  reading->readers = readers;
  reading->reader = reader;
  reading->where = g_strdup (where);
  reading->reused = reader->request > 0;
  reading->closing = reader->closing != 0;
  return reading;
}

static gboolean
is_askable (const char *where, GError **error)
{
  const char *scheme = g_uri_peek_scheme (where);

  if (strlen (where) >= TH_READER_WHERE_BYTES)
    g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_NAMETOOLONG, "the name is too long");
  else if (where[0] != '/' && (scheme == NULL || g_str_equal (scheme, "file")))
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                         "neither an absolute path nor a URI of a file that is not local");
  else
    return TRUE;
  return FALSE;
}

static gboolean
look (ThReading *reading, ThFacts *facts, GError **error)
{
  g_auto (Exchange) exchange = { .fd = -1 };

  prepare (reading, &exchange, TH_READER_LOOK);
  th_wire_set_text (exchange.message.look.where, sizeof exchange.message.look.where,
                    reading->where);
  if (!ask (reading, &exchange, TH_READER_FACTS, error))
    return FALSE;
  reading->holds = TRUE;
  if (exchange.fd >= 0)
    return give_up (reading, G_IO_ERROR_FAILED, error);
  return take_facts (reading, &exchange.message.facts, facts, error);
}

/* Whether it was given up for something that has nothing to do with what was asked: it was gone
 * already, killed while it had nothing to do, or hangs in what it had before. */
static gboolean
is_innocent (const ThReading *reading)
{
  return reading->reader == NULL
         && ((reading->reused && reading->over == G_IO_ERROR_FAILED)
             || (reading->closing && reading->over == G_IO_ERROR_TIMED_OUT));
}

/* *again: it is worth a try in another process. */
static ThReading *
look_once (ThReaders *readers, const char *where, ThFacts *facts, gboolean *again, GError **error)
{
  g_autoptr (ThReading) reading = reading_new (readers, where, error);

  *again = FALSE;
  if (reading == NULL)
    return NULL;
  if (look (reading, facts, error))
    return g_steal_pointer (&reading);
  *again = is_innocent (reading);
  return NULL;
}

ThReading *
th_readers_look (ThReaders *readers, const char *where, ThFacts *facts, GError **error)
{
  g_autoptr (GError) local = NULL;
  ThReading *reading;
  gboolean again = TRUE;

  th_facts_clear (facts);
  if (!is_askable (where, error))
    return NULL;
  do
    {
      g_clear_error (&local);
      reading = look_once (readers, where, facts, &again, &local);
    }
  while (again);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return reading;
}

/* Whether it is what was asked for, without asking the file system that it may lie on. */
static gboolean
is_as_asked (const ThReading *reading, ThReadHow how, int fd)
{
  struct stat st;
  int type = 0;
  socklen_t size = sizeof type;
  int seals;

  if (fd < 0)
    return FALSE;
  if (how == TH_READ_DIRECT)
    return getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
  seals = fcntl (fd, F_GET_SEALS);
  return seals >= 0 && (seals & NEEDED_SEALS) == NEEDED_SEALS && fstat (fd, &st) == 0
         && (guint64) st.st_size <= th_readers_get_options (reading->readers)->max_bytes
         && lseek (fd, 0, SEEK_SET) == 0;
}

int
th_reading_open (ThReading *reading, ThReadHow how, ThFacts *facts, GError **error)
{
  g_auto (Exchange) exchange = { .fd = -1 };

  g_return_val_if_fail (how < G_N_ELEMENTS (hows), -1);
  th_facts_clear (facts);
  prepare (reading, &exchange, TH_READER_OPEN);
  exchange.message.open.how = hows[how];
  exchange.message.open.max_bytes = th_readers_get_options (reading->readers)->max_bytes;
  if (!ask (reading, &exchange, TH_READER_FACTS, error))
    return -1;
  reading->holds = TRUE;
  if (!is_as_asked (reading, how, exchange.fd) || !S_ISREG (exchange.message.facts.st.st_mode))
    {
      give_up (reading, G_IO_ERROR_FAILED, error);
      return -1;
    }
  if (!take_facts (reading, &exchange.message.facts, facts, error))
    return -1;
  return g_steal_fd (&exchange.fd);
}

gboolean
th_reading_is_unchanged (ThReading *reading)
{
  g_auto (Exchange) exchange = { .fd = -1 };

  prepare (reading, &exchange, TH_READER_AGAIN);
  if (!ask (reading, &exchange, TH_READER_VERDICT, NULL))
    return FALSE;
  reading->holds = FALSE;
  return exchange.message.verdict.unchanged == 1;
}

/* How to part with the process: one that has something open is told to close it, and not waited
 * for. */
static ThReaderEnd
let_go (ThReading *reading)
{
  Exchange exchange;

  if (!reading->holds)
    return TH_READER_DONE;
  prepare (reading, &exchange, TH_READER_CLOSE);
  return th_reader_wire_send (reading->reader->process.socket, &exchange.message, -1, FALSE, NULL)
             ? TH_READER_HOLDS
             : TH_READER_LOST;
}

void
th_reading_free (ThReading *reading)
{
  if (reading->reader != NULL)
    th_readers_release (reading->readers, reading->reader, let_go (reading));
  g_free (reading->where);
  g_free (reading);
}

char **
th_readers_schemes (ThReaders *readers, GError **error)
{
  g_autoptr (ThReading) reading = reading_new (readers, "", error);
  g_auto (Exchange) exchange = { .fd = -1 };
  g_autoptr (GStrvBuilder) schemes = g_strv_builder_new ();
  g_auto (GStrv) names = NULL;

  if (reading == NULL)
    return NULL;
  prepare (reading, &exchange, TH_READER_SCHEMES);
  if (!ask (reading, &exchange, TH_READER_LIST, error))
    return NULL;
  names = g_strsplit (exchange.message.list.names, " ", -1);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *probe = g_strconcat (names[i], ":", NULL);

      /* What is none is left out. */
      if (g_strcmp0 (g_uri_peek_scheme (probe), names[i]) == 0)
        g_strv_builder_add (schemes, names[i]);
    }
  return g_strv_builder_end (schemes);
}
