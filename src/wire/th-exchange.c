/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-exchange.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/th-plan.h"
#include "wire/th-watch.h"

/* One job under way. */
typedef struct
{
  const ThExchange *exchange;
  ThWatch watch;
  ThLayout layout;
  guint64 allowance;
  int memfd; /* of this job alone, or -1 */
} Job;

static void
job_clear (Job *job)
{
  th_watch_grant (&job->watch, 0);
  if (job->memfd >= 0)
    close (job->memfd);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, job_clear)

static ThStatus
refuse (ThStatus status, GError **error, const char *detail)
{
  g_set_error (error, TH_ERROR, th_status_to_error (status), "%s%s%s", th_status_describe (status),
               detail != NULL ? ": " : "", detail != NULL ? detail : "");
  return status;
}

/* What a worker says about a file that it cannot show. */
static ThStatus
believe (ThStatus status, const char *text, GError **error)
{
  g_autofree char *safe = th_plan_safe_text (text);

  if (!th_plan_may_say (status))
    return refuse (TH_STATUS_PROTOCOL, error, "an impossible status");
  if (safe[0] == '\0')
    return refuse (status, error, NULL);
  g_set_error_literal (error, TH_ERROR, th_status_to_error (status), safe);
  return status;
}

static ThStatus
send_to_worker (const Job *job, const ThWireMessage *message, int fd, GError **error)
{
  g_autoptr (GError) local = NULL;

  if (th_wire_send (job->exchange->socket, message, fd, &local))
    return TH_STATUS_OK;
  /* A worker that is gone breaks the pipe; one that does not read fills it. */
  if (g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_AGAIN))
    return refuse (TH_STATUS_PROTOCOL, error, "it does not read");
  return refuse (TH_STATUS_CRASHED, error, NULL);
}

static ThStatus
receive_from_worker (const Job *job, ThWireType type, ThWireMessage *message, GError **error)
{
  if (!th_watch_wait (&job->watch))
    return refuse (TH_STATUS_TIMEOUT, error, NULL);
  switch (th_wire_receive (job->exchange->socket, message, NULL))
    {
    case TH_WIRE_END:
      return refuse (TH_STATUS_CRASHED, error, NULL);
    case TH_WIRE_GOT:
      break;
    case TH_WIRE_MALFORMED:
    default:
      return refuse (TH_STATUS_PROTOCOL, error, "a malformed message");
    }
  if (message->head.type != type || message->head.job != job->exchange->job)
    return refuse (TH_STATUS_PROTOCOL, error, "a message out of turn");
  return TH_STATUS_OK;
}

static ThStatus
send_job (const Job *job, GError **error)
{
  const ThExchange *exchange = job->exchange;
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_JOB, exchange->job);
  message.job.max_pixels = exchange->limits->max_pixels;
  message.job.max_plan_bytes = exchange->limits->max_plan_bytes;
  message.job.allowance = job->allowance;
  message.job.room = job->allowance > 0 ? exchange->room->size : 0;
  message.job.embedded_previews = exchange->limits->embedded_previews ? 1 : 0;
  message.job.n_boxes = exchange->n_boxes;
  memcpy (message.job.boxes, exchange->boxes, exchange->n_boxes * sizeof *exchange->boxes);
  return send_to_worker (job, &message, exchange->source_fd, error);
}

static ThStatus
check_plan (const Job *job, const ThWirePlan *plan, GError **error)
{
  const char *fault;

  if (plan->status != TH_STATUS_OK)
    return plan->status == TH_STATUS_PARTIAL
               ? refuse (TH_STATUS_PROTOCOL, error, "an impossible status")
               : believe ((ThStatus) plan->status, plan->text, error);
  fault = th_plan_fault (plan, job->exchange->limits);
  if (fault != NULL)
    return refuse (TH_STATUS_PROTOCOL, error, fault);
  return TH_STATUS_OK;
}

static ThStatus
lay_out (Job *job, const ThWirePlan *plan, GError **error)
{
  const ThExchange *exchange = job->exchange;

  if (!th_layout_init (&job->layout, plan->full, plan->scalable != 0, plan->channels,
                       exchange->boxes, exchange->n_boxes))
    return refuse (TH_STATUS_TOO_LARGE, error, "the thumbnails would be too large");
  return TH_STATUS_OK;
}

/* Whether it went ahead with what it was allowed. */
static ThStatus
check_ahead (const Job *job, const ThWirePlan *plan, GError **error)
{
  const guint64 total = job->layout.total;

  if (job->allowance < total || job->allowance - total < plan->peak_bytes
      || job->exchange->room->size < total)
    return refuse (TH_STATUS_PROTOCOL, error, "it went ahead with more than it was allowed");
  return TH_STATUS_OK;
}

/* Within the limit of one file, and then whatever the owner has to say. */
static ThStatus
ask_for_memory (Job *job, const ThWirePlan *plan, GError **error)
{
  const ThExchange *exchange = job->exchange;
  gint64 asked = g_get_monotonic_time ();
  guint64 peak_bytes = plan->peak_bytes;
  ThStatus status;

  if (peak_bytes > exchange->limits->max_plan_bytes)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER,
                   "decoding takes %" G_GUINT64_FORMAT " MiB, more than the limit of"
                   " %" G_GUINT64_FORMAT " MiB",
                   peak_bytes >> 20, exchange->limits->max_plan_bytes >> 20);
      return TH_STATUS_TOO_LARGE;
    }
  if (exchange->admit == NULL)
    return TH_STATUS_OK;
  status = exchange->admit (peak_bytes + job->layout.total, exchange->admit_data, error);
  th_watch_excuse (&job->watch, g_get_monotonic_time () - asked);
  return status;
}

static ThStatus
deny (const Job *job, ThStatus reason)
{
  ThWireMessage message;
  ThStatus sent;

  th_wire_init (&message, TH_WIRE_DENY, job->exchange->job);
  sent = send_to_worker (job, &message, -1, NULL);
  return sent == TH_STATUS_OK ? reason : sent;
}

static gboolean
is_kept (const Job *job)
{
  return job->exchange->room != NULL && job->layout.total <= TH_RESULT_ROOM_MAX;
}

/* *fd goes to the worker, unless it is -1. */
static gboolean
make_room (Job *job, guint64 *size, int *fd, GError **error)
{
  ThResultRoom *room = job->exchange->room;
  gboolean fresh;

  if (!is_kept (job))
    {
      job->memfd = th_result_new (job->layout.total, error);
      *fd = job->memfd;
      *size = 0;
      return job->memfd >= 0;
    }
  if (!th_result_room_fit (room, job->layout.total, &fresh, error))
    return FALSE;
  *fd = fresh ? room->fd : -1;
  *size = room->size;
  return TRUE;
}

static ThStatus
grant (Job *job, guint64 peak_bytes, GError **error)
{
  ThWireMessage message;
  int fd;

  th_wire_init (&message, TH_WIRE_GRANT, job->exchange->job);
  if (!make_room (job, &message.grant.room, &fd, error))
    return deny (job, TH_STATUS_NO_MEMORY);
  message.grant.total = job->layout.total;
  memcpy (message.grant.offsets, job->layout.offsets, sizeof message.grant.offsets);
  th_watch_grant (&job->watch, peak_bytes);
  return send_to_worker (job, &message, fd, error);
}

static ThStatus
check_done (const ThWireDone *done, GError **error)
{
  if (done->status == TH_STATUS_OK || done->status == TH_STATUS_PARTIAL)
    return (ThStatus) done->status;
  return believe ((ThStatus) done->status, done->text, error);
}

static gboolean
fill_decoded (const Job *job, const ThWirePlan *plan, ThDecoded *decoded, GError **error)
{
  int memory = is_kept (job) ? job->exchange->room->fd : job->memfd;
  guint8 *pixels = th_result_copy (memory, job->layout.total, error);

  if (pixels == NULL)
    return FALSE;
  *decoded = (ThDecoded){
    .full = plan->full,
    .pages = plan->pages,
    .frames = plan->frames,
    .duration = plan->duration,
    .peak_bytes = plan->peak_bytes,
    .n_images = job->layout.n,
    .pixels = pixels,
  };
  memcpy (decoded->codec, plan->codec, sizeof decoded->codec);
  memcpy (decoded->mime_type, plan->mime_type, sizeof decoded->mime_type);
  for (guint i = 0; i < job->layout.n; i++)
    decoded->images[i] = (ThImage){
      .size = job->layout.sizes[i],
      .channels = plan->channels,
      .stride = (gsize) job->layout.sizes[i].width * plan->channels,
      .data = pixels + job->layout.offsets[i],
    };
  return TRUE;
}

/* What the worker needs to go on, if anything. */
static ThStatus
admit (Job *job, const ThWirePlan *plan, GError **error)
{
  ThStatus status = lay_out (job, plan, error);

  if (plan->ahead != 0)
    return status == TH_STATUS_OK ? check_ahead (job, plan, error) : TH_STATUS_PROTOCOL;
  if (status == TH_STATUS_OK)
    status = ask_for_memory (job, plan, error);
  return status == TH_STATUS_OK ? grant (job, plan->peak_bytes, error) : deny (job, status);
}

/* From DONE to the pixels. */
static ThStatus
collect (Job *job, const ThWirePlan *plan, ThDecoded *decoded, GError **error)
{
  ThWireMessage message;
  ThStatus status;

  status = receive_from_worker (job, TH_WIRE_DONE, &message, error);
  if (status != TH_STATUS_OK)
    return status;
  status = check_done (&message.done, error);
  if (th_status_has_pixels (status) && !fill_decoded (job, plan, decoded, error))
    return TH_STATUS_NO_MEMORY;
  return status;
}

/* The worker only ever gets what th_open_regular would have opened, or that in a wrapping. */
static gboolean
is_source (int fd)
{
  struct stat st;

  return fstat (fd, &st) == 0 && (S_ISREG (st.st_mode) || S_ISSOCK (st.st_mode));
}

ThStatus
th_exchange_run (const ThExchange *exchange, ThDecoded *decoded, GError **error)
{
  g_auto (Job) job = { .exchange = exchange, .memfd = -1 };
  ThWireMessage plan;
  ThStatus status;

  g_return_val_if_fail (exchange->n_boxes >= 1 && exchange->n_boxes <= TH_N_FLAVORS,
                        TH_STATUS_PROTOCOL);
  *decoded = (ThDecoded){ 0 };
  if (exchange->room != NULL && exchange->room->fd >= 0)
    job.allowance = MIN (exchange->allowance, exchange->limits->max_plan_bytes);
  if (!is_source (exchange->source_fd))
    return refuse (TH_STATUS_IO, error, "not a regular file");
  th_watch_init (&job.watch, exchange->socket, exchange->pid, exchange->data_base,
                 exchange->limits);
  th_watch_grant (&job.watch, job.allowance);
  status = send_job (&job, error);
  if (status == TH_STATUS_OK)
    status = receive_from_worker (&job, TH_WIRE_PLAN, &plan, error);
  if (status == TH_STATUS_OK)
    status = check_plan (&job, &plan.plan, error);
  if (status == TH_STATUS_OK)
    status = admit (&job, &plan.plan, error);
  if (status != TH_STATUS_OK)
    return status;
  return collect (&job, &plan.plan, decoded, error);
}

static ThStatus
check_hello (const ThWireMessage *message, GError **error)
{
  const ThWireHello *hello = &message->hello;
  g_autofree char *reason = NULL;

  if (message->head.type != TH_WIRE_HELLO)
    return refuse (TH_STATUS_PROTOCOL, error, "no greeting");
  if (hello->version != TH_WIRE_VERSION || strcmp (hello->build, TH_VERSION) != 0)
    {
      g_set_error_literal (error, TH_ERROR, TH_ERROR_SHUTTING_DOWN, "a worker of another version");
      return TH_STATUS_PROTOCOL;
    }
  if (hello->status == TH_STATUS_OK && hello->seccomp == 1)
    return TH_STATUS_OK;
  reason = th_plan_safe_text (hello->text);
  return refuse (TH_STATUS_NO_SANDBOX, error, reason[0] != '\0' ? reason : NULL);
}

ThStatus
th_exchange_hello (int socket, guint timeout_ms, ThWireHello *hello, GError **error)
{
  gint64 end = g_get_monotonic_time () + (gint64) timeout_ms * 1000;
  struct pollfd item = { .fd = socket, .events = POLLIN };
  ThWireMessage message;
  gint64 left;
  int n;

  do
    {
      left = end - g_get_monotonic_time ();
      n = poll (&item, 1, (int) CLAMP ((left + 999) / 1000, 0, G_MAXINT));
    }
  while (n < 0 && errno == EINTR);
  if (n <= 0)
    return refuse (TH_STATUS_TIMEOUT, error, "the worker did not start");
  switch (th_wire_receive (socket, &message, NULL))
    {
    case TH_WIRE_GOT:
      *hello = message.hello;
      return check_hello (&message, error);
    case TH_WIRE_END:
      return refuse (TH_STATUS_CRASHED, error, "the worker ended at its start");
    case TH_WIRE_MALFORMED:
    default:
      return refuse (TH_STATUS_PROTOCOL, error, "a malformed greeting");
    }
}

gboolean
th_exchange_is_idle (int socket)
{
  struct pollfd item = { .fd = socket, .events = POLLIN };

  return poll (&item, 1, 0) == 0;
}

void
th_decoded_clear (ThDecoded *decoded)
{
  g_clear_pointer (&decoded->pixels, g_free);
  *decoded = (ThDecoded){ 0 };
}
