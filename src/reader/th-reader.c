/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "reader/th-reader.h"

#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#include "reader/th-copy.h"
#include "reader/th-finding.h"
#include "reader/th-look-path.h"
#include "reader/th-look-uri.h"
#include "wire/th-reader-wire.h"
#include "wire/th-wrap.h"

/* What is being looked at. */
typedef struct
{
  int socket;
  ThPulse pulse;
  char *where; /* NULL: nothing */
  ThFinding finding;
  gboolean fresh; /* finding was made by the request before */
} Session;

static gboolean
answer (const Session *session, const ThReaderMessage *message, int fd)
{
  return th_reader_wire_send (session->socket, message, fd, TRUE, NULL);
}

static gboolean
answer_failed (const Session *session, const GError *error)
{
  ThReaderMessage message;
  gboolean is_io = error->domain == G_IO_ERROR;

  th_reader_wire_init (&message, TH_READER_FAILED, session->pulse.request);
  message.failed.domain = is_io ? TH_READER_IO_ERROR : TH_READER_FILE_ERROR;
  message.failed.code =
      is_io || error->domain == G_FILE_ERROR ? error->code : (int) G_FILE_ERROR_FAILED;
  th_wire_set_text (message.failed.text, sizeof message.failed.text, error->message);
  return answer (session, &message, -1);
}

/* A name that is too long for the message is none. */
static void
set_name (char *field, gsize size, const char *name)
{
  if (name != NULL && strlen (name) < size)
    th_wire_set_text (field, size, name);
}

static gboolean
answer_facts (const Session *session, int fd)
{
  const ThFinding *finding = &session->finding;
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_FACTS, session->pulse.request);
  message.facts.st = finding->st;
  message.facts.inode_lasts = finding->inode_lasts ? 1 : 0;
  message.facts.readable = finding->readable ? 1 : 0;
  message.facts.has_preview = finding->preview != NULL ? 1 : 0;
  set_name (message.facts.path, sizeof message.facts.path, finding->path);
  set_name (message.facts.mime_type, sizeof message.facts.mime_type, finding->mime_type);
  return answer (session, &message, fd);
}

static gboolean
answer_verdict (const Session *session, gboolean unchanged)
{
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_VERDICT, session->pulse.request);
  message.verdict.unchanged = unchanged ? 1 : 0;
  return answer (session, &message, -1);
}

static void
let_go (Session *session)
{
  th_finding_clear (&session->finding);
  session->fresh = FALSE;
}

static gboolean
look (Session *session, const ThReaderMessage *request)
{
  g_autoptr (GError) error = NULL;

  let_go (session);
  g_free (session->where);
  session->where = g_strdup (request->look.where);
  session->fresh = th_finding_resolve (&session->finding, session->where, TH_FINDING_CACHED,
                                       &session->pulse, &error);
  return session->fresh ? answer_facts (session, -1) : answer_failed (session, error);
}

/* What was looked at may be gone from its server, and another file in its place. */
static int
open_newest (Session *session, GError **error)
{
  int fd = th_look_path_open (&session->finding, NULL);

  if (fd >= 0)
    return fd;
  if (!th_finding_resolve (&session->finding, session->where, TH_FINDING_ASK, &session->pulse,
                           error))
    return -1;
  if (session->finding.asked != NULL)
    return th_look_path_open (&session->finding, error);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "it is a local file no more");
  return -1;
}

static int
open_path (Session *session, const ThReaderOpen *request, GError **error)
{
  ThFinding *finding = &session->finding;
  int fd, copy = -1;

  if (request->how == TH_READER_PREVIEW)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "a path has no small picture");
      return -1;
    }
  fd = open_newest (session, error);
  if (fd < 0)
    return -1;
  if (request->how == TH_READER_DIRECT)
    return th_wrap (fd, error);
  if (th_copy_fits ((guint64) finding->st.st_size, request->max_bytes, error))
    copy = th_copy_descriptor (fd, session->where, request->max_bytes, &session->pulse, error);
  close (fd);
  return copy;
}

static int
open_uri (Session *session, const ThReaderOpen *request, GError **error)
{
  const ThFinding *finding = &session->finding;
  g_autoptr (GInputStream) stream = NULL;

  if (request->how == TH_READER_DIRECT)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "this is no local file");
      return -1;
    }
  if (request->how == TH_READER_PREVIEW)
    stream = th_look_uri_open_preview (finding, error);
  else if (th_copy_fits ((guint64) finding->st.st_size, request->max_bytes, error))
    stream = th_look_uri_open (finding, error);
  return stream != NULL ? th_copy_stream (stream, request->max_bytes, &session->pulse, error) : -1;
}

static int
open_found (Session *session, const ThReaderOpen *request, GError **error)
{
  if (!session->fresh
      && !th_finding_resolve (&session->finding, session->where, TH_FINDING_CACHED, &session->pulse,
                              error))
    return -1;
  session->fresh = FALSE;
  return session->finding.file != NULL ? open_uri (session, request, error)
                                       : open_path (session, request, error);
}

static gboolean
open_it (Session *session, const ThReaderMessage *request)
{
  g_autoptr (GError) error = NULL;
  gboolean sent;
  int fd;

  if (session->where == NULL || request->open.how >= TH_READER_N_HOWS)
    return FALSE;
  fd = open_found (session, &request->open, &error);
  if (fd < 0)
    {
      let_go (session);
      return answer_failed (session, error);
    }
  sent = answer_facts (session, fd);
  close (fd);
  return sent;
}

static gboolean
is_still_there (Session *session)
{
  g_auto (ThFinding) now = { .device = session->finding.device, .hold = -1 };

  if (session->finding.asked == NULL && session->finding.file == NULL)
    return FALSE;
  return th_finding_resolve (&now, session->where, TH_FINDING_ASK, &session->pulse, NULL)
         && th_finding_equal (&session->finding, &now);
}

static gboolean
again (Session *session, const ThReaderMessage *request)
{
  gboolean unchanged = is_still_there (session);

  let_go (session);
  return answer_verdict (session, unchanged);
}

static gboolean
close_it (Session *session, const ThReaderMessage *request)
{
  let_go (session);
  g_clear_pointer (&session->where, g_free);
  return answer_verdict (session, FALSE);
}

static gboolean
schemes (Session *session, const ThReaderMessage *request)
{
  g_auto (GStrv) names = th_look_uri_schemes ();
  g_autofree char *text = g_strjoinv (" ", names);
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_LIST, session->pulse.request);
  th_wire_set_text (message.list.names, sizeof message.list.names, text);
  return answer (session, &message, -1);
}

static gboolean (*const handlers[]) (Session *session, const ThReaderMessage *request) = {
  [TH_READER_LOOK] = look,      [TH_READER_OPEN] = open_it,    [TH_READER_AGAIN] = again,
  [TH_READER_CLOSE] = close_it, [TH_READER_SCHEMES] = schemes,
};

static gboolean
serve_one (Session *session, const ThReaderMessage *request)
{
  if (request->head.type >= G_N_ELEMENTS (handlers) || handlers[request->head.type] == NULL)
    return FALSE;
  th_pulse_start (&session->pulse, session->socket, request->head.request);
  return handlers[request->head.type](session, request);
}

static gboolean
greet (int socket)
{
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_HELLO, 0);
  th_wire_set_text (message.hello.build, sizeof message.hello.build, TH_VERSION);
  return th_reader_wire_send (socket, &message, -1, TRUE, NULL);
}

int
th_reader_serve (int socket)
{
  Session session = { .socket = socket, .finding = TH_FINDING_INIT };
  g_autofree ThReaderMessage *message = g_new (ThReaderMessage, 1);
  ThWireResult result = TH_WIRE_MALFORMED;
  gboolean good = greet (socket);

  while (good && (result = th_reader_wire_receive (socket, message, NULL)) == TH_WIRE_GOT)
    good = serve_one (&session, message);
  let_go (&session);
  g_free (session.where);
  return result == TH_WIRE_END ? 0 : 1;
}
