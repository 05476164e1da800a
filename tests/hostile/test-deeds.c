/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What no decoder may do, each deed tried by one that an attacker has taken over. */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile/evil-deeds.h"
#include "hostile/hostile-jobs.h"

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
check_deed (const EvilDeed *deed, const char *program)
{
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  ThLimits limits = hostile_limits ();
  int status;

  hostile_start (&worker, program);
  source_init (&source, deed->name);
  g_assert_cmpint (hostile_decode (&worker, &source, &limits, &decoded, NULL), ==,
                   TH_STATUS_CRASHED);
  status = worker_wait (&worker);
  g_assert_true (WIFSIGNALED (status));
  g_assert_cmpint (WTERMSIG (status), ==, SIGSYS);
  assert_untouched (&source);
  hostile_check_good_file ();
  if (!succeeds_unlocked (deed))
    g_test_skip ("locked out, but it does not succeed without the lock-down either on this system");
}

static void
test_deed (gconstpointer data)
{
  check_deed (data, EVIL_WORKER);
}

static void
test_deed_with_threads (gconstpointer data)
{
  check_deed (data, THREADS_WORKER);
}

/* What the reading of fonts brings with it; all else is as without. */
static ThStatus
expected_with_fonts (const char *deed, gboolean landlock)
{
  static const struct
  {
    const char *deed;
    ThStatus with, without; /* landlock */
  } rows[] = {
    { "open-fonts", TH_STATUS_OK, TH_STATUS_NOT_MINE },
    { "open", TH_STATUS_NOT_MINE, TH_STATUS_NOT_MINE },
    { "create", TH_STATUS_NOT_MINE, TH_STATUS_NOT_MINE },
    { "reopen", TH_STATUS_NOT_MINE, TH_STATUS_NOT_MINE },
    { "stat", TH_STATUS_OK, TH_STATUS_NOT_MINE },
    /* Allowed, but how large the file is was found out by going to its end. */
    { "read", TH_STATUS_NOT_MINE, TH_STATUS_CRASHED },
    /* Without landlock the flags do not matter. */
    { "open-path", TH_STATUS_CRASHED, TH_STATUS_NOT_MINE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].deed, deed))
      return landlock ? rows[i].with : rows[i].without;
  return TH_STATUS_CRASHED;
}

static void
test_deed_with_fonts (gconstpointer data)
{
  const EvilDeed *deed = data;
  g_auto (Worker) worker = { .socket = -1 };
  g_auto (Source) source = { 0 };
  g_auto (ThDecoded) decoded = { 0 };
  ThLimits limits = hostile_limits ();
  ThStatus status;

  hostile_start (&worker, FONTS_WORKER);
  source_init (&source, deed->name);
  status = hostile_decode (&worker, &source, &limits, &decoded, NULL);
  if (g_str_equal (deed->name, "open-fonts") && !succeeds_unlocked (deed))
    {
      g_test_skip ("this system has no fonts");
      return;
    }
  g_assert_cmpint (status, ==, expected_with_fonts (deed->name, worker.hello.landlock_abi > 0));
  assert_untouched (&source);
}

/* A thread that does nothing: it ends with the process, as all of it, where it may not be. */
static void
test_thread (void)
{
  static const struct
  {
    const char *program;
    ThStatus expected;
  } rows[] = { { EVIL_WORKER, TH_STATUS_CRASHED }, { THREADS_WORKER, TH_STATUS_OK } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Worker) worker = { .socket = -1 };
      g_auto (Source) source = { 0 };
      g_auto (ThDecoded) decoded = { 0 };
      ThLimits limits = hostile_limits ();

      hostile_start (&worker, rows[i].program);
      source_init (&source, "thread");
      g_assert_cmpint (hostile_decode (&worker, &source, &limits, &decoded, NULL), ==,
                       rows[i].expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (const EvilDeed *deed = evil_deeds; deed->name != NULL; deed++)
    {
      g_autofree char *path = g_strconcat ("/deeds/", deed->name, NULL);
      g_autofree char *fonts = g_strconcat ("/deeds/with-fonts/", deed->name, NULL);
      g_autofree char *threads = g_strconcat ("/deeds/with-threads/", deed->name, NULL);

      g_test_add_data_func (path, deed, test_deed);
      g_test_add_data_func (fonts, deed, test_deed_with_fonts);
      g_test_add_data_func (threads, deed, test_deed_with_threads);
    }
  g_test_add_func ("/deeds/thread", test_thread);
  return g_test_run ();
}
