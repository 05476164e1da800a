/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The price of isolation: bench-isolation WORKER FILE [ROUNDS]
 *
 * The same file by turns in a locked-down worker (job over the wire, sealed memory back, copied)
 * and in this process, from an open descriptor to the pixels of one box. Prints a Markdown row for
 * each box: medians of elapsed and CPU time, what the worker takes more, and that as a part of all
 * that a thumbnail takes until its PNG is encoded. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cache/th-png-write.h"
#include "core/th-codec.h"
#include "core/th-render.h"
#include "engine/th-pool.h"
#include "engine/th-process.h"
#include "wire/th-exchange.h"
#include "worker/th-heap.h"

#define ROUNDS 1001

typedef struct
{
  double wall, cpu; /* µs */
} Cost;

typedef struct
{
  ThProcess process;
  guint64 data_base;
  guint32 jobs;
  clockid_t worker_clock;
  ThResultRoom room;
  ThLimits limits;
} Bench;

static double
now (clockid_t clock)
{
  struct timespec time = { 0 };

  clock_gettime (clock, &time);
  return (double) time.tv_sec * 1e6 + (double) time.tv_nsec / 1e3;
}

static gboolean
render_here (int fd, guint32 box, const ThLimits *limits, ThImage *result)
{
  g_autoptr (ThInput) input = th_input_new_fd (fd, NULL);
  g_autoptr (ThRender) render = NULL;
  const ThRenderPlan *plan;

  if (th_render_open (input, limits, &box, 1, NULL, &render, NULL) != TH_STATUS_OK)
    return FALSE;
  plan = th_render_plan (render);
  result->size = th_fit (plan->full, box);
  result->channels = plan->channels;
  result->stride = (gsize) result->size.width * plan->channels;
  result->data = g_malloc (result->stride * result->size.height);
  return th_status_has_pixels (th_render_run (render, result, NULL));
}

static gboolean
render_apart (Bench *bench, int fd, guint32 box, ThDecoded *decoded)
{
  const ThExchange exchange = {
    .socket = bench->process.socket,
    .pid = bench->process.pid,
    .data_base = bench->data_base,
    .job = ++bench->jobs,
    .source_fd = fd,
    .limits = &bench->limits,
    .boxes = &box,
    .n_boxes = 1,
    .room = &bench->room,
    .allowance = TH_POOL_ALLOWANCE,
  };

  return th_status_has_pixels (th_exchange_run (&exchange, decoded, NULL));
}

static gboolean
round_here (const Bench *bench, int fd, guint32 box, Cost *decode, Cost *encode)
{
  const double wall = now (CLOCK_MONOTONIC), cpu = now (CLOCK_PROCESS_CPUTIME_ID);
  ThImage result = { 0 };
  const gboolean ok = render_here (fd, box, &bench->limits, &result);
  const double wall_2 = now (CLOCK_MONOTONIC), cpu_2 = now (CLOCK_PROCESS_CPUTIME_ID);
  g_autoptr (ThPngBody) body = ok ? th_png_encode (&result) : NULL;

  *decode = (Cost){ wall_2 - wall, cpu_2 - cpu };
  *encode = (Cost){ now (CLOCK_MONOTONIC) - wall_2, now (CLOCK_PROCESS_CPUTIME_ID) - cpu_2 };
  g_free (result.data);
  return body != NULL;
}

static gboolean
round_apart (Bench *bench, int fd, guint32 box, Cost *decode)
{
  const double wall = now (CLOCK_MONOTONIC);
  const double cpu = now (CLOCK_PROCESS_CPUTIME_ID) + now (bench->worker_clock);
  g_auto (ThDecoded) decoded = { 0 };
  const gboolean ok = render_apart (bench, fd, box, &decoded);

  *decode = (Cost){ now (CLOCK_MONOTONIC) - wall,
                    now (CLOCK_PROCESS_CPUTIME_ID) + now (bench->worker_clock) - cpu };
  return ok;
}

static int
by_value (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Of one member of an array of costs. */
static double
median (const Cost *costs, guint n, gsize offset)
{
  g_autofree double *values = g_new (double, n);

  for (guint i = 0; i < n; i++)
    values[i] = G_STRUCT_MEMBER (double, &costs[i], offset);
  qsort (values, n, sizeof *values, by_value);
  return values[n / 2];
}

static void
report (guint32 box, const char *what, gsize offset, Cost *const *costs, guint rounds)
{
  const double here = median (costs[0], rounds, offset);
  const double apart = median (costs[1], rounds, offset);
  const double encode = median (costs[2], rounds, offset);

  g_print ("| %u px, %s | %.0f µs | %.0f µs | %.0f µs | %.1f %% | %.1f %% |\n", box, what, here,
           apart, apart - here, (apart / here - 1.0) * 100.0,
           (apart - here) / (here + encode) * 100.0);
}

static gboolean
measure (Bench *bench, int fd, guint32 box, guint rounds)
{
  Cost *costs[3];
  gboolean ok = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (costs); i++)
    costs[i] = g_new0 (Cost, rounds);
  for (guint i = 0; ok && i < rounds / 10u; i++)
    ok = round_here (bench, fd, box, costs[0], costs[2]) && round_apart (bench, fd, box, costs[1]);
  for (guint i = 0; ok && i < rounds; i++)
    ok = round_here (bench, fd, box, &costs[0][i], &costs[2][i])
         && round_apart (bench, fd, box, &costs[1][i]);
  if (ok)
    {
      report (box, "elapsed", G_STRUCT_OFFSET (Cost, wall), costs, rounds);
      report (box, "CPU", G_STRUCT_OFFSET (Cost, cpu), costs, rounds);
    }
  for (guint i = 0; i < G_N_ELEMENTS (costs); i++)
    g_free (costs[i]);
  return ok;
}

static gboolean
start (Bench *bench, const char *worker, GError **error)
{
  ThWireHello hello;

  if (!th_process_start (&bench->process, worker, TH_PROCESS_BARE, error)
      || th_exchange_hello (bench->process.socket, 20000, &hello, error) != TH_STATUS_OK)
    return FALSE;
  bench->data_base = hello.data_base;
  return clock_getcpuclockid (bench->process.pid, &bench->worker_clock) == 0;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  Bench bench = { .room = TH_RESULT_ROOM_INIT };
  guint64 rounds = ROUNDS;
  int fd;

  if (argc < 3 || argc > 4
      || (argc == 4 && !g_ascii_string_to_unsigned (argv[3], 10, 10, 1000000, &rounds, NULL)))
    {
      g_printerr ("usage: bench-isolation WORKER FILE [ROUNDS]\n");
      return 2;
    }
  /* The same heap on both sides: else it is its trimming that is compared. */
  th_heap_init ();
  th_limits_init (&bench.limits);
  fd = open (argv[2], O_RDONLY | O_CLOEXEC);
  if (fd < 0 || !start (&bench, argv[1], &error))
    {
      g_printerr ("bench-isolation: %s\n", error != NULL ? error->message : argv[2]);
      return 1;
    }
  g_print ("| | in this process | in a worker | more | of the decoding | of all, PNG encoded |\n"
           "|---|---|---|---|---|---|\n");
  if (!measure (&bench, fd, 128, (guint) rounds) || !measure (&bench, fd, 256, (guint) rounds))
    g_printerr ("bench-isolation: %s cannot be decoded\n", argv[2]);
  close (fd);
  th_process_hang_up (&bench.process);
  th_result_room_clear (&bench.room);
  return 0;
}
