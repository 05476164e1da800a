/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/th-open.h"
#include "hostile/evil-lies.h"
#include "hostile/hostile-jobs.h"
#include "hostile/hostile-outer.h"

#define BARE_WORKER "thimble-worker-bare"

/* One file with this word on a fresh worker; the next good one is served. */
static void
assert_ends_as (const char *word, const ThLimits *limits, ThStatus expected)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThStatus status;

  hostile_start (&worker, EVIL_WORKER);
  source_init (&source, word);
  status = hostile_decode (&worker, &source, limits, &decoded, &error);
  g_assert_cmpstr (th_status_name (status), ==, th_status_name (expected));
  g_assert_cmpint (error == NULL, ==, th_status_has_pixels (status));
  assert_untouched (&source);
  hostile_check_good_file ();
}

typedef struct
{
  const char *word;
  ThStatus expected;
} EndRow;

static const EndRow ends[] = {
  { "abort", TH_STATUS_CRASHED },
  { "crash", TH_STATUS_CRASHED },
  { "stack", TH_STATUS_CRASHED },
  { "leave", TH_STATUS_CRASHED },
  /* Lies. */
  { "size", TH_STATUS_PROTOCOL },
  { "nothing", TH_STATUS_PROTOCOL },
  { "channels", TH_STATUS_PROTOCOL },
  { "scalable", TH_STATUS_PROTOCOL },
  { "duration", TH_STATUS_PROTOCOL },
  { "peak", TH_STATUS_TOO_LARGE },
  { "mime", TH_STATUS_PROTOCOL },
  { "name", TH_STATUS_PROTOCOL },
  { "huge-text", TH_STATUS_PROTOCOL },
  { "status", TH_STATUS_PROTOCOL },
  { "unknown-status", TH_STATUS_PROTOCOL },
  { "text", TH_STATUS_CORRUPT },
  { "short", TH_STATUS_PROTOCOL },
  { "long", TH_STATUS_PROTOCOL },
  { "magic", TH_STATUS_PROTOCOL },
  { "type", TH_STATUS_PROTOCOL },
  { "job", TH_STATUS_PROTOCOL },
  { "descriptor", TH_STATUS_PROTOCOL },
  { "descriptors", TH_STATUS_PROTOCOL },
  { "twice", TH_STATUS_PROTOCOL },
  { "flood", TH_STATUS_PROTOCOL },
  { "done", TH_STATUS_PROTOCOL },
  { "done-descriptor", TH_STATUS_PROTOCOL },
  { "ahead", TH_STATUS_PROTOCOL },
  { "ahead-peak", TH_STATUS_PROTOCOL },
  { "ahead-flag", TH_STATUS_PROTOCOL },
};

static void
test_end (gconstpointer data)
{
  const EndRow *row = data;
  ThLimits limits = hostile_limits ();

  assert_ends_as (row->word, &limits, row->expected);
}

/* CPU time is what runs out, long before the other deadline. */
static void
test_spin (void)
{
  ThLimits limits = hostile_limits ();

  limits.cpu_ms = 100;
  assert_ends_as ("spin", &limits, TH_STATUS_TIMEOUT);
  assert_ends_as ("late-spin", &limits, TH_STATUS_TIMEOUT);
  assert_ends_as ("deaf", &limits, TH_STATUS_TIMEOUT);
}

static void
test_sleep (void)
{
  ThLimits limits = hostile_limits ();

  limits.wall_ms = 200;
  assert_ends_as ("sleep", &limits, TH_STATUS_TIMEOUT);
}

/* The kernel ends what nobody watches any more. */
static void
test_backstop (void)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  ThLimits limits = hostile_limits ();
  int status;

  hostile_start (&worker, EVIL_WORKER);
  source_init (&source, "spin");
  limits.cpu_ms = 1;
  g_assert_cmpint (hostile_decode (&worker, &source, &limits, &decoded, NULL), ==,
                   TH_STATUS_TIMEOUT);
  status = worker_wait (&worker);
  g_assert_true (WIFSIGNALED (status));
  g_assert_cmpint (WTERMSIG (status), ==, SIGXCPU);
}

static void
test_devour (void)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThLimits limits = hostile_limits ();

  hostile_start (&worker, EVIL_WORKER);
  if (worker.hello.data_base == 0)
    {
      g_test_skip ("1 case left out: a sanitizer's memory cannot be limited");
      return;
    }
  source_init (&source, "devour");
  g_assert_cmpint (hostile_decode (&worker, &source, &limits, &decoded, &error), ==,
                   TH_STATUS_NO_MEMORY);
  /* 8 MiB granted and 32 without; a block is 8 MiB. */
  g_assert_cmpint (g_ascii_strtoll (error->message, NULL, 10), <=, 5);
  assert_untouched (&source);
  hostile_check_good_file ();
}

static void
test_addresses (void)
{
  g_auto (Worker) worker = { .socket = -1 };
  ThLimits limits = hostile_limits ();

  hostile_start (&worker, EVIL_WORKER);
  if (worker.hello.data_base == 0)
    g_test_skip ("1 case left out: a sanitizer's memory cannot be limited");
  else
    assert_ends_as ("addresses", &limits, TH_STATUS_NO_MEMORY);
}

static void
test_safe_message (void)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThLimits limits = hostile_limits ();

  hostile_start (&worker, EVIL_WORKER);
  source_init (&source, "text");
  g_assert_cmpint (hostile_decode (&worker, &source, &limits, &decoded, &error), ==,
                   TH_STATUS_CORRUPT);
  g_assert_cmpstr (error->message, ==, " [2Jgone \xef\xbf\xbd");
}

/* What the worker goes on doing to the shared memory changes nothing any more. */
static void
test_rewrite (void)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autofree guint8 *copy = NULL;
  ThLimits limits = hostile_limits ();
  const gsize size = 16 * 16 * 3;

  hostile_start (&worker, EVIL_WORKER);
  source_init (&source, "rewrite");
  g_assert_cmpint (hostile_decode (&worker, &source, &limits, &decoded, NULL), ==, TH_STATUS_OK);
  copy = g_memdup2 (decoded.images[0].data, size);
  for (guint i = 0; i < 50; i++)
    {
      g_usleep (1000);
      g_assert_cmpmem (decoded.images[0].data, size, copy, size);
    }
}

/* Whoever speaks unasked is replaced before the next file suffers from it. */
static void
test_unasked (void)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  ThLimits limits = hostile_limits ();

  hostile_start (&worker, EVIL_WORKER);
  g_assert_true (th_exchange_is_idle (worker.socket));
  source_init (&source, "more");
  g_assert_cmpint (hostile_decode (&worker, &source, &limits, &decoded, NULL), ==, TH_STATUS_OK);
  for (guint i = 0; i < 60000 && th_exchange_is_idle (worker.socket); i++)
    g_usleep (1000);
  g_assert_false (th_exchange_is_idle (worker.socket));
}

static ThStatus
refuse_memory (guint64 bytes, gpointer data, GError **error)
{
  *(guint64 *) data = bytes;
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "not now");
  return TH_STATUS_CANCELLED;
}

/* DENY costs the worker nothing: it serves the next file. */
static void
test_deny (void)
{
  static const guint32 boxes[] = { 256, 128 };
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThLimits limits = hostile_limits ();
  ThExchange exchange = { .limits = &limits, .boxes = boxes, .n_boxes = 2, .job = 7 };
  guint64 asked = 0;

  hostile_start (&worker, EVIL_WORKER);
  source_init (&source, "good");
  exchange.socket = worker.socket;
  exchange.pid = worker.pid;
  exchange.source_fd = th_open_regular (source.path, NULL);
  exchange.admit = refuse_memory;
  exchange.admit_data = &asked;
  g_assert_cmpint (th_exchange_run (&exchange, &decoded, &error), ==, TH_STATUS_CANCELLED);
  g_assert_cmpstr (error->message, ==, "not now");
  g_assert_cmpuint (asked, >, 2 * 16 * 16 * 3);
  close (exchange.source_fd);
  hostile_check_good_file_on (&worker);
}

/* One job with an allowance, and memory that stays. */
static ThStatus
decode_allowed (const Worker *worker, const char *word, ThResultRoom *room, guint64 allowance)
{
  static const guint32 boxes[] = { 128 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThLimits limits = hostile_limits ();
  ThExchange exchange = { .limits = &limits, .boxes = boxes, .n_boxes = 1, .job = EVIL_JOB };
  ThStatus status;

  source_init (&source, word);
  exchange.socket = worker->socket;
  exchange.pid = worker->pid;
  exchange.source_fd = th_open_regular (source.path, NULL);
  exchange.room = room;
  exchange.allowance = allowance;
  status = th_exchange_run (&exchange, &decoded, &error);
  g_assert_cmpint (error == NULL, ==, th_status_has_pixels (status));
  if (th_status_has_pixels (status) && strcmp (word, "good") == 0)
    g_assert_cmpuint (decoded.images[0].data[0], ==, 200);
  close (exchange.source_fd);
  return status;
}

/* A worker that was allowed something goes ahead with that and no more. */
static void
test_ahead (void)
{
  static const struct
  {
    const char *word;
    guint64 allowance;
    ThStatus expected;
  } rows[] = {
    { "good", 4u << 20, TH_STATUS_OK },  { "good", 16, TH_STATUS_OK }, /* too little: it asks */
    { "ahead", 4u << 20, TH_STATUS_OK }, { "ahead", 16, TH_STATUS_PROTOCOL },
    { "ahead", 0, TH_STATUS_PROTOCOL },  { "ahead-peak", 4u << 20, TH_STATUS_PROTOCOL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Worker) worker = { .socket = -1 };
      ThResultRoom room = TH_RESULT_ROOM_INIT;

      hostile_start (&worker, EVIL_WORKER);
      /* The first job has no room yet, and brings it. */
      g_assert_cmpint (decode_allowed (&worker, "good", &room, 4u << 20), ==, TH_STATUS_OK);
      g_assert_cmpint (room.fd, >=, 0);
      g_assert_cmpint (decode_allowed (&worker, rows[i].word, &room, rows[i].allowance), ==,
                       rows[i].expected);
      th_result_room_clear (&room);
    }
}

static void
test_many_files (void)
{
  g_auto (Worker) worker = { .socket = -1 };

  hostile_start (&worker, EVIL_WORKER);
  for (guint i = 0; i < 50; i++)
    hostile_check_good_file_on (&worker);
  close (worker.socket);
  worker.socket = -1;
  g_assert_cmpint (worker_wait (&worker), ==, 0);
}

/* No folder, device or pipe gets as far as a worker. */
static void
test_odd_sources (void)
{
  static const guint32 boxes[] = { 128 };
  g_auto (Worker) worker = { .socket = -1 };
  ThLimits limits = hostile_limits ();
  ThExchange exchange = { .limits = &limits, .boxes = boxes, .n_boxes = 1, .job = 1 };
  const char *const paths[] = { "/", "/dev/null" };

  hostile_start (&worker, EVIL_WORKER);
  exchange.socket = worker.socket;
  exchange.pid = worker.pid;
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_auto (ThDecoded) decoded = { 0 };

      exchange.source_fd = open (paths[i], O_RDONLY | O_CLOEXEC);
      g_assert_cmpint (th_exchange_run (&exchange, &decoded, NULL), ==, TH_STATUS_IO);
      close (exchange.source_fd);
    }
  hostile_check_good_file_on (&worker);
}

/* The lock-down cannot be entered: it says so, ends, and has served nothing. */
static void
assert_refuses (const char *program, WorkerPrepare prepare)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_autoptr (GError) error = NULL;
  int status;

  worker_start (&worker, program, prepare);
  g_assert_cmpint (worker_greet (&worker, &error), ==, TH_STATUS_NO_SANDBOX);
  g_assert_error (error, TH_ERROR, TH_ERROR_OTHER);
  g_test_message ("it says: %s", error->message);
  status = worker_wait (&worker);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 1);
}

static void
test_no_sandbox (void)
{
  assert_refuses (BARE_WORKER, NULL);
  assert_refuses (EVIL_WORKER, outer_forbids_filters);
}

static void
assert_serves_under (WorkerPrepare prepare, gboolean with_landlock)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_autoptr (GError) error = NULL;

  worker_start (&worker, EVIL_WORKER, prepare);
  worker_greet (&worker, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (worker.hello.seccomp, ==, 1);
  if (!with_landlock)
    g_assert_cmpint (worker.hello.landlock_abi, ==, 0);
  hostile_check_good_file_on (&worker);
}

static void
test_outer_sandbox (void)
{
  assert_serves_under (outer_lacks_landlock, FALSE);
  assert_serves_under (outer_is_like_gnome, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autofree char *path = g_strconcat ("/hostile/end/", ends[i].word, NULL);

      g_test_add_data_func (path, &ends[i], test_end);
    }
  g_test_add_func ("/hostile/spin", test_spin);
  g_test_add_func ("/hostile/sleep", test_sleep);
  g_test_add_func ("/hostile/backstop", test_backstop);
  g_test_add_func ("/hostile/devour", test_devour);
  g_test_add_func ("/hostile/addresses", test_addresses);
  g_test_add_func ("/hostile/safe-message", test_safe_message);
  g_test_add_func ("/hostile/rewrite", test_rewrite);
  g_test_add_func ("/hostile/unasked", test_unasked);
  g_test_add_func ("/hostile/deny", test_deny);
  g_test_add_func ("/hostile/ahead", test_ahead);
  g_test_add_func ("/hostile/many-files", test_many_files);
  g_test_add_func ("/hostile/odd-sources", test_odd_sources);
  g_test_add_func ("/hostile/no-sandbox", test_no_sandbox);
  g_test_add_func ("/hostile/outer-sandbox", test_outer_sandbox);
  return g_test_run ();
}
