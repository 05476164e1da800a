/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/th-open.h"
#include "hostile/evil-deeds.h"
#include "hostile/evil-lies.h"
#include "hostile/hostile-outer.h"
#include "hostile/hostile-source.h"
#include "hostile/hostile-worker.h"

#define EVIL_WORKER "thimble-worker-evil"
#define BARE_WORKER "thimble-worker-bare"

/* Deadlines that only what never ends can miss. */
static ThLimits
patient_limits (void)
{
  ThLimits limits;

  th_limits_init (&limits);
  limits.cpu_ms = limits.wall_ms = 60000;
  return limits;
}

static ThStatus
decode (const Worker *worker, const Source *source, const ThLimits *limits, ThDecoded *decoded,
        GError **error)
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

static void
start_locked (Worker *worker)
{
  g_autoptr (GError) error = NULL;

  worker_start (worker, EVIL_WORKER, NULL);
  worker_greet (worker, &error);
  g_assert_no_error (error);
}

static void
assert_good_file_on (const Worker *worker)
{
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThLimits limits = patient_limits ();

  source_init (&source, "good");
  g_assert_cmpint (decode (worker, &source, &limits, &decoded, &error), ==, TH_STATUS_OK);
  g_assert_no_error (error);
  g_assert_cmpuint (decoded.images[0].size.width, ==, 16);
  g_assert_cmpuint (decoded.images[0].data[0], ==, 200);
  g_assert_cmpstr (decoded.mime_type, ==, "image/x-evil");
  assert_untouched (&source);
}

static void
assert_good_file (void)
{
  g_auto (Worker) worker = { .socket = -1 };

  start_locked (&worker);
  assert_good_file_on (&worker);
}

/* One file with this word on a fresh worker; the next good one is served. */
static void
assert_ends_as (const char *word, const ThLimits *limits, ThStatus expected)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThStatus status;

  start_locked (&worker);
  source_init (&source, word);
  status = decode (&worker, &source, limits, &decoded, &error);
  g_assert_cmpstr (th_status_name (status), ==, th_status_name (expected));
  g_assert_cmpint (error == NULL, ==, th_status_has_pixels (status));
  assert_untouched (&source);
  assert_good_file ();
}

/* The deed in a free process: TRUE where it succeeds. */
static gboolean
succeeds_unlocked (const EvilDeed *deed)
{
  g_auto (Source) source = { 0 };
  pid_t victim = getpid ();
  pid_t child;
  int status;

  source_init (&source, deed->name);
  /* Where Yama guards against strangers, this process lets itself be watched. */
  prctl (PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  child = fork ();
  if (child == 0)
    {
      int fd = open (source.path, O_RDONLY);

      dup2 (fd, EVIL_SOURCE_FD);
      dup2 (open ("/dev/null", O_RDWR), STDOUT_FILENO);
      _exit (deed->run (victim) ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

static void
test_deed (gconstpointer data)
{
  const EvilDeed *deed = data;
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  ThLimits limits = patient_limits ();
  int status;

  start_locked (&worker);
  source_init (&source, deed->name);
  g_assert_cmpint (decode (&worker, &source, &limits, &decoded, NULL), ==, TH_STATUS_CRASHED);
  status = worker_wait (&worker);
  g_assert_true (WIFSIGNALED (status));
  g_assert_cmpint (WTERMSIG (status), ==, SIGSYS);
  assert_untouched (&source);
  assert_good_file ();
  if (!succeeds_unlocked (deed))
    g_test_skip ("locked out, but it does not succeed without the lock-down either on this system");
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
};

static void
test_end (gconstpointer data)
{
  const EndRow *row = data;
  ThLimits limits = patient_limits ();

  assert_ends_as (row->word, &limits, row->expected);
}

/* CPU time is what runs out, long before the other deadline. */
static void
test_spin (void)
{
  ThLimits limits = patient_limits ();

  limits.cpu_ms = 100;
  assert_ends_as ("spin", &limits, TH_STATUS_TIMEOUT);
  assert_ends_as ("late-spin", &limits, TH_STATUS_TIMEOUT);
  assert_ends_as ("deaf", &limits, TH_STATUS_TIMEOUT);
}

static void
test_sleep (void)
{
  ThLimits limits = patient_limits ();

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
  ThLimits limits = patient_limits ();
  int status;

  start_locked (&worker);
  source_init (&source, "spin");
  limits.cpu_ms = 1;
  g_assert_cmpint (decode (&worker, &source, &limits, &decoded, NULL), ==, TH_STATUS_TIMEOUT);
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
  ThLimits limits = patient_limits ();

  start_locked (&worker);
  if (worker.hello.data_base == 0)
    {
      g_test_skip ("1 case left out: a sanitizer's memory cannot be limited");
      return;
    }
  source_init (&source, "devour");
  g_assert_cmpint (decode (&worker, &source, &limits, &decoded, &error), ==, TH_STATUS_NO_MEMORY);
  /* 8 MiB granted and 32 without; a block is 8 MiB. */
  g_assert_cmpint (g_ascii_strtoll (error->message, NULL, 10), <=, 5);
  assert_untouched (&source);
  assert_good_file ();
}

static void
test_addresses (void)
{
  g_auto (Worker) worker = { .socket = -1 };
  ThLimits limits = patient_limits ();

  start_locked (&worker);
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
  ThLimits limits = patient_limits ();

  start_locked (&worker);
  source_init (&source, "text");
  g_assert_cmpint (decode (&worker, &source, &limits, &decoded, &error), ==, TH_STATUS_CORRUPT);
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
  ThLimits limits = patient_limits ();
  const gsize size = 16 * 16 * 3;

  start_locked (&worker);
  source_init (&source, "rewrite");
  g_assert_cmpint (decode (&worker, &source, &limits, &decoded, NULL), ==, TH_STATUS_OK);
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
  ThLimits limits = patient_limits ();

  start_locked (&worker);
  g_assert_true (th_exchange_is_idle (worker.socket));
  source_init (&source, "more");
  g_assert_cmpint (decode (&worker, &source, &limits, &decoded, NULL), ==, TH_STATUS_OK);
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
  ThLimits limits = patient_limits ();
  ThExchange exchange = { .limits = &limits, .boxes = boxes, .n_boxes = 2, .job = 7 };
  guint64 asked = 0;

  start_locked (&worker);
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
  assert_good_file_on (&worker);
}

static void
test_many_files (void)
{
  g_auto (Worker) worker = { .socket = -1 };

  start_locked (&worker);
  for (guint i = 0; i < 50; i++)
    assert_good_file_on (&worker);
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
  ThLimits limits = patient_limits ();
  ThExchange exchange = { .limits = &limits, .boxes = boxes, .n_boxes = 1, .job = 1 };
  const char *const paths[] = { "/", "/dev/null" };

  start_locked (&worker);
  exchange.socket = worker.socket;
  exchange.pid = worker.pid;
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_auto (ThDecoded) decoded = { 0 };

      exchange.source_fd = open (paths[i], O_RDONLY | O_CLOEXEC);
      g_assert_cmpint (th_exchange_run (&exchange, &decoded, NULL), ==, TH_STATUS_IO);
      close (exchange.source_fd);
    }
  assert_good_file_on (&worker);
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
  assert_good_file_on (&worker);
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
  for (const EvilDeed *deed = evil_deeds; deed->name != NULL; deed++)
    {
      g_autofree char *path = g_strconcat ("/hostile/deed/", deed->name, NULL);

      g_test_add_data_func (path, deed, test_deed);
    }
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
  g_test_add_func ("/hostile/many-files", test_many_files);
  g_test_add_func ("/hostile/odd-sources", test_odd_sources);
  g_test_add_func ("/hostile/no-sandbox", test_no_sandbox);
  g_test_add_func ("/hostile/outer-sandbox", test_outer_sandbox);
  return g_test_run ();
}
