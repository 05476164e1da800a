/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "hostile/hostile-jobs.h"

#include <unistd.h>

#include "base/th-open.h"
#include "hostile/evil-lies.h"

ThLimits
hostile_limits (void)
{
  ThLimits limits;

  th_limits_init (&limits);
  limits.cpu_ms = limits.wall_ms = 60000;
  return limits;
}

ThStatus
hostile_decode (const Worker *worker, const Source *source, const ThLimits *limits,
                ThDecoded *decoded, GError **error)
{
  static const guint32 boxes[] = { 128 };
  int fd = th_open_regular (source->path, error);
  ThExchange exchange = {
    .socket = worker->socket,
    .pid = worker->pid,
    .data_base = worker->hello.data_base,
    .job = EVIL_JOB,
    .source_fd = fd,
    .limits = limits,
    .boxes = boxes,
    .n_boxes = G_N_ELEMENTS (boxes),
  };
  ThStatus status;

  g_assert_cmpint (fd, >=, 0);
  status = th_exchange_run (&exchange, decoded, error);
  close (fd);
  return status;
}

void
hostile_start (Worker *worker, const char *program)
{
  g_autoptr (GError) error = NULL;

  worker_start (worker, program, NULL);
  worker_greet (worker, &error);
  g_assert_no_error (error);
}

void
hostile_check_good_file_on (const Worker *worker)
{
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThLimits limits = hostile_limits ();

  source_init (&source, "good");
  g_assert_cmpint (hostile_decode (worker, &source, &limits, &decoded, &error), ==, TH_STATUS_OK);
  g_assert_no_error (error);
  g_assert_cmpuint (decoded.images[0].size.width, ==, 16);
  g_assert_cmpuint (decoded.images[0].data[0], ==, 200);
  g_assert_cmpstr (decoded.mime_type, ==, "image/x-evil");
  assert_untouched (&source);
}

void
hostile_check_good_file (void)
{
  g_auto (Worker) worker = { .socket = -1 };

  hostile_start (&worker, EVIL_WORKER);
  hostile_check_good_file_on (&worker);
}
