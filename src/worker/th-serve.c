/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "worker/th-serve.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/th-codec.h"
#include "core/th-render.h"
#include "wire/th-plan.h"
#include "wire/th-wire.h"
#include "wire/th-wrap.h"
#include "worker/th-fonts.h"
#include "worker/th-heap.h"

/* What a picture's header and the buffers kept between pictures may take without a grant. */
#define SLACK_BYTES ((guint64) TH_WORKER_SLACK_MIB << 20)
/* More than a process that has just started has; where it cannot be told. */
#define UNKNOWN_BYTES (G_GUINT64_CONSTANT (64) << 20)

/* What stays from job to job. */
typedef struct
{
  ThColorCache *colors;
  guint8 *room; /* shared memory for results, or NULL */
  gsize room_size;
} Kept;

static void
kept_clear (Kept *kept)
{
  g_clear_pointer (&kept->colors, th_color_cache_free);
  if (kept->room != NULL)
    munmap (kept->room, kept->room_size);
  kept->room = NULL;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Kept, kept_clear)

/* One job under way. */
typedef struct
{
  int source;
  ThLimits limits;
  ThInput *input;
  ThRender *render;
  Kept *kept; /* borrowed */
} Job;

static void
job_clear (Job *job)
{
  g_clear_pointer (&job->render, th_render_free);
  g_clear_pointer (&job->input, th_input_free);
  if (job->source >= 0)
    close (job->source);
  job->source = -1;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, job_clear)

/* What the C library and GLib do on first use is done while it is still allowed. */
static void
warm_up (void)
{
  g_autofree char *text = g_strdup_printf ("%s %.3f", g_strerror (EIO), 0.5);

  th_heap_init ();
  (void) g_utf8_validate (text, -1, NULL);
}

/* Private writable memory of this process; 0 where it is not to be limited. */
static guint64
data_base (void)
{
  g_autofree char *text = NULL;
  unsigned long pages;

  if (SLACK_BYTES == 0)
    return 0;
  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)
      || sscanf (text, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
    return UNKNOWN_BYTES + SLACK_BYTES;
  return (guint64) pages * (guint64) sysconf (_SC_PAGESIZE) + SLACK_BYTES;
}

static gboolean
greet (int socket, guint64 base, const ThSandboxState *state, const GError *trouble)
{
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_HELLO, 0);
  message.hello.version = TH_WIRE_VERSION;
  message.hello.seccomp = state->seccomp ? 1 : 0;
  message.hello.landlock_abi = state->landlock_abi;
  message.hello.status = trouble == NULL ? TH_STATUS_OK : TH_STATUS_NO_SANDBOX;
  message.hello.data_base = base;
  th_wire_set_text (message.hello.build, sizeof message.hello.build, TH_VERSION);
  if (trouble != NULL)
    th_wire_set_text (message.hello.text, sizeof message.hello.text, trouble->message);
  return th_wire_send (socket, &message, -1, NULL);
}

static gboolean
boxes_are_sane (const ThWireJob *job)
{
  if (job->n_boxes < 1 || job->n_boxes > TH_N_FLAVORS)
    return FALSE;
  for (guint i = 0; i < job->n_boxes; i++)
    if (job->boxes[i] < 1 || (i > 0 && job->boxes[i] > job->boxes[i - 1]))
      return FALSE;
  return TRUE;
}

static ThStatus
open_picture (Job *job, const ThWireJob *wanted, GError **error)
{
  job->limits = (ThLimits){
    .max_pixels = wanted->max_pixels,
    .max_plan_bytes = wanted->max_plan_bytes,
    .embedded_previews = wanted->embedded_previews != 0,
  };
  job->input = th_input_new_fd (job->source, error);
  if (job->input == NULL)
    return TH_STATUS_IO;
  return th_render_open (job->input, &job->limits, wanted->boxes, wanted->n_boxes,
                         job->kept->colors, &job->render, error);
}

static void
describe_plan (const ThRenderPlan *plan, ThWirePlan *message)
{
  message->full = plan->full;
  message->scalable = plan->scalable ? 1 : 0;
  message->channels = plan->channels;
  message->pages = plan->pages;
  message->frames = plan->frames;
  message->duration = plan->duration;
  message->peak_bytes = plan->peak_bytes;
  th_wire_set_text (message->codec, sizeof message->codec, plan->codec);
  th_wire_set_text (message->mime_type, sizeof message->mime_type, plan->mime_type);
}

/* Decodes into memory for results. */
static ThStatus
render_into (Job *job, const ThWireJob *wanted, guint8 *memory, const ThLayout *layout,
             GError **error)
{
  ThImage results[TH_N_FLAVORS] = { 0 };

  for (guint i = 0; i < wanted->n_boxes; i++)
    results[i] = (ThImage){
      .size = layout->sizes[i],
      .channels = layout->channels,
      .stride = (gsize) layout->sizes[i].width * layout->channels,
      .data = memory + layout->offsets[i],
    };
  return th_render_run (job->render, results, error);
}

/* Where memfd is new it takes the place of the one before. */
static gboolean
take_room (Kept *kept, const ThWireGrant *grant, int memfd)
{
  void *memory;

  if (memfd < 0)
    return kept->room != NULL && kept->room_size == grant->room;
  if (kept->room != NULL)
    munmap (kept->room, kept->room_size);
  kept->room = NULL;
  memory = mmap (NULL, grant->room, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
  if (memory == MAP_FAILED)
    return FALSE;
  kept->room = memory;
  kept->room_size = grant->room;
  return TRUE;
}

/* Memory for the results of this job, of which every byte is written if there are any. */
static guint8 *
map_results (Kept *kept, const ThWireGrant *grant, int memfd)
{
  void *memory;

  if (grant->room != 0)
    return grant->total <= grant->room && take_room (kept, grant, memfd) ? kept->room : NULL;
  memory = mmap (NULL, grant->total, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
  return memory != MAP_FAILED ? memory : NULL;
}

/* The same function on both sides: a difference would be a fault of the program. */
static gboolean
lay_out (const Job *job, const ThWireJob *wanted, ThLayout *layout)
{
  const ThRenderPlan *plan = th_render_plan (job->render);

  return th_layout_init (layout, plan->full, plan->scalable, plan->channels, wanted->boxes,
                         wanted->n_boxes);
}

static ThStatus
run_granted (Job *job, const ThWireJob *wanted, const ThWireGrant *grant, int memfd, GError **error)
{
  ThLayout layout;
  ThStatus status;
  guint8 *memory;

  if (!lay_out (job, wanted, &layout) || layout.total != grant->total)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "the granted memory does not fit the plan");
      return TH_STATUS_NO_MEMORY;
    }
  memory = map_results (job->kept, grant, memfd);
  if (memory == NULL)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "the granted memory cannot be mapped");
      return TH_STATUS_NO_MEMORY;
    }
  status = render_into (job, wanted, memory, &layout, error);
  if (grant->room == 0)
    munmap (memory, layout.total);
  return status;
}

static void
fill_plan (ThWireMessage *message, guint32 number, const Job *job, ThStatus status,
           const GError *error)
{
  th_wire_init (message, TH_WIRE_PLAN, number);
  message->plan.status = status;
  if (status == TH_STATUS_OK)
    describe_plan (th_render_plan (job->render), &message->plan);
  if (error != NULL)
    th_wire_set_text (message->plan.text, sizeof message->plan.text, error->message);
}

static gboolean
send_done (int socket, guint32 number, ThStatus status, const GError *error)
{
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_DONE, number);
  message.done.status = status;
  if (error != NULL)
    th_wire_set_text (message.done.text, sizeof message.done.text, error->message);
  return th_wire_send (socket, &message, -1, NULL);
}

/* From the answer to a plan to DONE. */
static gboolean
finish_job (int socket, Job *job, const ThWireMessage *wanted)
{
  g_autoptr (GError) error = NULL;
  ThWireMessage answer;
  ThStatus status;
  int memfd = -1;

  if (th_wire_receive (socket, &answer, &memfd) != TH_WIRE_GOT)
    return FALSE;
  if (answer.head.type == TH_WIRE_DENY)
    return TRUE;
  if (answer.head.type != TH_WIRE_GRANT || answer.head.job != wanted->head.job
      || (memfd < 0 && answer.grant.room == 0))
    return FALSE;
  status = run_granted (job, &wanted->job, &answer.grant, memfd, &error);
  if (memfd >= 0)
    close (memfd);
  /* Before DONE, so that nothing holds the source any longer when the owner hears of it. */
  job_clear (job);
  /* Without the room that the owner counts on there is no next job. */
  return send_done (socket, wanted->head.job, status, error)
         && (answer.grant.room == 0 || job->kept->room != NULL);
}

static gboolean
is_allowed (const Job *job, const ThWireJob *wanted, ThLayout *layout)
{
  const guint64 peak_bytes = th_render_plan (job->render)->peak_bytes;

  return wanted->allowance > 0 && wanted->room > 0 && job->kept->room != NULL
         && job->kept->room_size == wanted->room && lay_out (job, wanted, layout)
         && layout->total <= wanted->room && layout->total <= wanted->allowance
         && peak_bytes <= wanted->allowance - layout->total;
}

/* PLAN and DONE at once: the owner is not woken twice. */
static gboolean
go_ahead (int socket, Job *job, const ThWireMessage *wanted, ThWireMessage *plan,
          const ThLayout *layout)
{
  g_autoptr (GError) error = NULL;
  ThStatus status;

  plan->plan.ahead = 1;
  status = render_into (job, &wanted->job, job->kept->room, layout, &error);
  job_clear (job);
  return th_wire_send (socket, plan, -1, NULL)
         && send_done (socket, wanted->head.job, status, error);
}

static gboolean
serve_job (int socket, const ThWireMessage *wanted, int source, Kept *kept)
{
  g_auto (Job) job = { .source = source, .kept = kept };
  g_autoptr (GError) error = NULL;
  ThWireMessage plan;
  ThLayout layout;
  ThStatus status;

  if (wanted->head.type != TH_WIRE_JOB || source < 0 || !boxes_are_sane (&wanted->job))
    return FALSE;
  status = open_picture (&job, &wanted->job, &error);
  if (status != TH_STATUS_OK)
    job_clear (&job);
  fill_plan (&plan, wanted->head.job, &job, status, error);
  if (status == TH_STATUS_OK && is_allowed (&job, &wanted->job, &layout))
    return go_ahead (socket, &job, wanted, &plan, &layout);
  if (!th_wire_send (socket, &plan, -1, NULL))
    return FALSE;
  return status != TH_STATUS_OK || finish_job (socket, &job, wanted);
}

/* Under the same account as the lock-down: without it nothing is decoded. */
static gboolean
prepare_codecs (GError **error)
{
  for (guint i = 0; th_codecs[i] != NULL; i++)
    if (th_codecs[i]->prepare != NULL && !th_codecs[i]->prepare (error))
      return FALSE;
  return TRUE;
}

static guint32
needs_of_codecs (void)
{
  guint32 needs = TH_NEEDS_NOTHING;

  for (guint i = 0; th_codecs[i] != NULL; i++)
    needs |= th_codecs[i]->needs;
  return needs;
}

int
th_serve (const ThServe *serve)
{
  g_autoptr (GError) trouble = NULL;
  g_auto (Kept) kept = { 0 };
  g_auto (GStrv) fonts = NULL;
  const guint32 needs = needs_of_codecs ();
  ThSandboxPolicy policy = { .socket = serve->socket };
  ThSandboxState state = { 0 };
  ThWireMessage message;
  ThWireResult result;
  gboolean ready;
  int source;

  warm_up ();
  kept.colors = th_color_cache_new ();
  if ((needs & TH_NEEDS_FONTS) != 0)
    fonts = th_fonts_folders ();
  ready = prepare_codecs (&trouble);
  policy.data_bytes = data_base ();
  policy.readable = (const char *const *) fonts;
  policy.threads = (needs & TH_NEEDS_THREADS) != 0;
  if (!ready || !th_sandbox_enter (&policy, &state, &trouble))
    {
      greet (serve->socket, 0, &state, trouble);
      return 1;
    }
  if (!greet (serve->socket, policy.data_bytes, &state, NULL))
    return 1;
  while ((result = th_wire_receive (serve->socket, &message, &source)) == TH_WIRE_GOT)
    {
      if (!serve_job (serve->socket, &message, source >= 0 ? th_unwrap (source) : -1, &kept))
        return 1;
      th_heap_trim ();
    }
  return result == TH_WIRE_END ? 0 : 1;
}
