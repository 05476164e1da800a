/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl make over an engine without files, in its own process and over the bus. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus-fixture.h"
#include "cache/th-uri.h"

typedef struct
{
  TestBus *bus;
  char *daemon;
  char *ctl;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->daemon = test_program ("service/thimbled-fake");
  fixture->ctl = test_program ("service/thimblectl-fake");
  fixture->bus = test_bus_up (fixture->daemon);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_bus_down (fixture->bus);
  g_free (fixture->daemon);
  g_free (fixture->ctl);
}

/* An empty file below the folder of pictures; folders are made. */
static char *
add (Fixture *fixture, const char *name)
{
  char *path = g_build_filename (fixture->bus->pictures, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  return path;
}

static void
add_all (Fixture *fixture, const char *const *names)
{
  for (; *names != NULL; names++)
    g_free (add (fixture, *names));
}

typedef struct
{
  int status;
  char *out;
  char *said;
} Result;

static void
result_clear (Result *result)
{
  g_free (result->out);
  g_free (result->said);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Result, result_clear)

static GSubprocess *
spawn (Fixture *fixture, const char *const *arguments)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  GSubprocess *process;

  g_ptr_array_add (argv, fixture->ctl);
  g_ptr_array_add (argv, (gpointer) "make");
  for (; *arguments != NULL; arguments++)
    g_ptr_array_add (argv, (gpointer) *arguments);
  g_ptr_array_add (argv, NULL);
  process =
      g_subprocess_newv ((const char *const *) argv->pdata,
                         G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  g_assert_no_error (error);
  return process;
}

static char *
text_of (GBytes *bytes)
{
  const char *data = g_bytes_get_data (bytes, NULL);

  return data != NULL ? g_strndup (data, g_bytes_get_size (bytes)) : g_strdup ("");
}

static void
finish (GSubprocess *process, Result *result)
{
  g_autoptr (GBytes) out = NULL;
  g_autoptr (GBytes) said = NULL;

  g_assert_true (g_subprocess_communicate (process, NULL, NULL, &out, &said, NULL));
  g_assert_true (g_subprocess_get_if_exited (process));
  result->status = g_subprocess_get_exit_status (process);
  result->out = text_of (out);
  result->said = text_of (said);
}

static void
run (Fixture *fixture, const char *const *arguments, Result *result)
{
  g_autoptr (GSubprocess) process = spawn (fixture, arguments);

  finish (process, result);
}

static guint
count (const char *text, const char *word)
{
  guint n = 0;

  for (const char *at = text; (at = strstr (at, word)) != NULL; at += strlen (word))
    n++;
  return n;
}

/* The same tree gives the same counts, names and status on either way. */
static void
test_tree (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = {
    "ready:1.png",     "a/cached:2.jpg",       "a/b/error-2:broken.jpg", "a/b/ready:3",
    "c/error-0:x.bin", ".hidden/ready:no.png", "a/.ready:no.png",        NULL,
  };
  static const char *const ways[] = { "--local", "--flavor=large" };

  add_all (fixture, names);
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      const char *const arguments[] = { ways[i], fixture->bus->pictures, NULL };
      g_auto (Result) result = { 0 };

      run (fixture, arguments, &result);
      g_assert_cmpint (result.status, ==, 1);
      g_assert_cmpstr (result.out, ==, "");
      g_assert_nonnull (strstr (result.said, "a/b/error-2:broken.jpg: "));
      g_assert_nonnull (strstr (
          result.said, "3 made or up to date, 1 skipped (no handler, download), 1 failed, "));
      g_assert_nonnull (strstr (result.said, fixture->bus->cache));
      g_assert_nonnull (strstr (result.said, i == 0 ? "by this process" : "by the service"));
    }
}

static void
test_status (Fixture *fixture, gconstpointer data)
{
  g_autofree char *good = add (fixture, "ready:1.png");
  g_autofree char *unknown = add (fixture, "error-0:x.bin");
  g_autofree char *uri = th_uri_from_path (good);
  const struct
  {
    const char *arguments[5];
    int status;
  } rows[] = {
    { { good, NULL }, 0 },
    { { uri, NULL }, 0 },
    { { fixture->bus->pictures, NULL }, 0 }, /* nobody asked for the unknown one by name */
    { { unknown, NULL }, 1 },
    { { fixture->bus->pictures, unknown, NULL }, 1 },
    { { "/nonexistent", NULL }, 1 },
    { { NULL }, 2 },
    { { "-f", "huge", good, NULL }, 2 },
    { { "--nonsense", good, NULL }, 2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Result) result = { 0 };

      run (fixture, rows[i].arguments, &result);
      g_assert_cmpint (result.status, ==, rows[i].status);
      g_assert_cmpstr (result.out, ==, "");
    }
}

/* Every flavor of every file, one parsable line each, whatever the name. */
static void
test_verbose (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "odd/ready:a b%23#?.png", "odd/ready:l\nf\tt\\\033[31m",
                                       "odd/ready:\xff\xfe", "odd/-ready:", NULL };
  const char *const arguments[] = {
    "-v", "-f", "normal", "-f", "xx-large", "--", fixture->bus->pictures, NULL
  };
  g_auto (Result) result = { 0 };

  add_all (fixture, names);
  run (fixture, arguments, &result);
  g_assert_cmpint (result.status, ==, 1); /* "-ready:" is no word of the engine's */
  g_assert_cmpuint (count (result.out, "\n"), ==, 6);
  g_assert_cmpuint (count (result.out, "/normal/"), ==, 3);
  g_assert_cmpuint (count (result.out, "/xx-large/"), ==, 3);
  g_assert_nonnull (strstr (result.out, "/odd/ready:a b%23#?.png\t"));
  g_assert_nonnull (strstr (result.out, "/odd/ready:l\\nf\\tt\\\\\\033[31m\t"));
  g_assert_nonnull (strstr (result.out, "/odd/ready:\xff\xfe\t"));
  g_assert_cmpuint (count (result.said, "neither"), ==, 1);
}

/* A file that is in both flavors' answers, or named twice, counts once. */
static void
test_once (Fixture *fixture, gconstpointer data)
{
  g_autofree char *good = add (fixture, "ready:1.png");
  g_autofree char *bad = add (fixture, "error-2:1.png");
  const char *const arguments[] = { "-f", "normal", "-f", "large",
                                    good, bad,      good, fixture->bus->pictures,
                                    NULL };
  g_auto (Result) result = { 0 };

  run (fixture, arguments, &result);
  g_assert_nonnull (
      strstr (result.said, "1 made or up to date, 0 skipped (no handler, download), 1 failed, "));
  g_assert_cmpuint (count (result.said, "error-2:1.png: "), ==, 1);
}

#define MANY 5500u

static void
test_many (Fixture *fixture, gconstpointer data)
{
  const char *const arguments[] = { fixture->bus->pictures, NULL };
  g_auto (Result) result = { 0 };

  for (guint i = 0; i < MANY; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u/ready:%u.png", i % 7, i);

      g_free (add (fixture, name));
    }
  run (fixture, arguments, &result);
  g_assert_cmpint (result.status, ==, 0);
  g_assert_true (g_str_has_prefix (result.said, G_STRINGIFY (5500) " made or up to date"));
}

/* A terminal that nobody looks at. */
static int
open_terminal (char **name)
{
  int fd = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  g_assert_no_errno (grantpt (fd));
  g_assert_no_errno (unlockpt (fd));
  *name = g_strdup (ptsname (fd));
  return fd;
}

/* All that is said until the other side is closed, which a terminal reports as an error. */
static char *
read_terminal (int fd)
{
  GString *text = g_string_new (NULL);
  char part[4096];
  gssize n;

  while ((n = read (fd, part, sizeof part)) > 0)
    g_string_append_len (text, part, n);
  close (fd);
  return g_string_free (text, FALSE);
}

static void
test_bar (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = add (fixture, "ready:1.png");
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) process = NULL;
  int terminal = open_terminal (&name);

  g_subprocess_launcher_setenv (launcher, "TERM", "xterm", TRUE);
  g_subprocess_launcher_set_stderr_file_path (launcher, name);
  process = g_subprocess_launcher_spawn (launcher, NULL, fixture->ctl, "make", file, NULL);
  g_assert_nonnull (process);
  g_assert_true (g_subprocess_wait (process, NULL, NULL));
  /* The launcher holds no descriptor of it: the reader comes to an end. */
  text = read_terminal (terminal);
  g_assert_nonnull (strstr (text, "\r["));
  g_assert_nonnull (strstr (text, "\r\033[K1 made or up to date"));
}

static void
test_no_bar (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = add (fixture, "ready:1.png");
  const char *const loud[] = { file, NULL };
  const char *const quiet[] = { "-q", file, "/nonexistent", NULL };
  g_auto (Result) first = { 0 };
  g_auto (Result) second = { 0 };

  run (fixture, loud, &first);
  g_assert_null (strpbrk (first.said, "\r\033"));
  run (fixture, quiet, &second);
  g_assert_cmpuint (count (second.said, "\n"), ==, 1);
  g_assert_true (g_str_has_prefix (second.said, "/nonexistent: "));
}

/* What the first service had not answered is asked of the second; when that one dies too, it fails
 * and nothing hangs. */
static void
test_service_dies (Fixture *fixture, gconstpointer data)
{
  g_autofree char *stuck = add (fixture, "wait:1.png");
  g_autofree char *good = add (fixture, "ready:1.png");
  const char *const arguments[] = { "-v", good, stuck, NULL };
  g_autoptr (TestClient) client = test_client_new (fixture->bus);
  g_autoptr (GSubprocess) process = spawn (fixture, arguments);
  g_auto (Result) result = { 0 };
  int first, second;

  first = test_client_service_pid (client, 0);
  g_usleep (300000);
  g_assert_no_errno (kill (first, SIGKILL));
  second = test_client_service_pid (client, first);
  g_usleep (300000);
  g_assert_no_errno (kill (second, SIGKILL));
  finish (process, &result);
  g_assert_cmpint (result.status, ==, 1);
  g_assert_nonnull (strstr (result.said, "wait:1.png: "));
  g_assert_nonnull (strstr (result.said, "1 made or up to date"));
  g_assert_cmpuint (count (result.out, "\n"), ==, 1);
}

static void
test_bus_dies (Fixture *fixture, gconstpointer data)
{
  g_autofree char *stuck = add (fixture, "wait:1.png");
  const char *const arguments[] = { stuck, NULL };
  TestClient *client = test_client_new (fixture->bus);
  g_autoptr (GSubprocess) process = spawn (fixture, arguments);
  g_auto (Result) result = { 0 };

  test_client_service_pid (client, 0);
  test_client_free (client);
  g_usleep (300000);
  g_subprocess_force_exit (fixture->bus->bus);
  finish (process, &result);
  g_assert_cmpint (result.status, ==, 1);
  g_assert_nonnull (strstr (result.said, "wait:1.png: "));
}

/* Waits until something is said: then it is at work. */
static void
wait_for_line (GSubprocess *process)
{
  GInputStream *said = g_subprocess_get_stderr_pipe (process);
  char c = '\0';

  while (c != '\n')
    g_assert_cmpint (g_input_stream_read (said, &c, 1, NULL, NULL), ==, 1);
}

/* Interrupted, it gives its request up: the service has nothing left that holds it. */
static void
test_interrupt (Fixture *fixture, gconstpointer data)
{
  g_autofree char *bad = add (fixture, "error-2:1.png");
  g_autofree char *stuck = add (fixture, "wait:1.png");
  static const char *const local_or_not[] = { "--local", "--background" };

  test_bus_configure (fixture->bus, "[service]\nidle-seconds=1\n");
  test_bus_start (fixture->bus, fixture->daemon);
  for (gsize i = 0; i < G_N_ELEMENTS (local_or_not); i++)
    {
      const char *const arguments[] = { local_or_not[i], bad, stuck, NULL };
      g_autoptr (GSubprocess) process = spawn (fixture, arguments);
      g_auto (Result) result = { 0 };

      wait_for_line (process);
      g_subprocess_send_signal (process, SIGINT);
      finish (process, &result);
      g_assert_cmpint (result.status, ==, 130);
      g_assert_nonnull (strstr (result.said, "Interrupted: 0 made"));
    }
  test_bus_wait (fixture->bus);
}

static void
test_without_bus (Fixture *fixture, gconstpointer data)
{
  g_autofree char *good = add (fixture, "ready:1.png");
  g_autofree char *address = g_strdup (g_getenv ("DBUS_SESSION_BUS_ADDRESS"));
  const char *const arguments[] = { good, NULL };
  g_auto (Result) result = { 0 };

  g_setenv ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", TRUE);
  run (fixture, arguments, &result);
  g_setenv ("DBUS_SESSION_BUS_ADDRESS", address, TRUE);
  g_assert_cmpint (result.status, ==, 0);
  g_assert_nonnull (strstr (result.said, "by this process"));
}

static void
test_unreadable (Fixture *fixture, gconstpointer data)
{
  g_autofree char *inside = add (fixture, "locked/ready:1.png");
  g_autofree char *folder = g_path_get_dirname (inside);
  const char *const arguments[] = { fixture->bus->pictures, NULL };
  g_auto (Result) result = { 0 };

  if (geteuid () == 0)
    {
      g_test_skip ("root reads everything");
      return;
    }
  g_free (add (fixture, "ready:2.png"));
  g_assert_no_errno (g_chmod (folder, 0));
  run (fixture, arguments, &result);
  g_assert_cmpint (result.status, ==, 1);
  g_assert_nonnull (strstr (result.said, "/locked: "));
  g_assert_nonnull (strstr (result.said, "1 made or up to date"));
}

static const struct
{
  const char *path;
  void (*function) (Fixture *, gconstpointer);
} tests[] = {
  { "/ctl/tree", test_tree },
  { "/ctl/status", test_status },
  { "/ctl/verbose", test_verbose },
  { "/ctl/once", test_once },
  { "/ctl/many", test_many },
  { "/ctl/bar", test_bar },
  { "/ctl/no-bar", test_no_bar },
  { "/ctl/service-dies", test_service_dies },
  { "/ctl/bus-dies", test_bus_dies },
  { "/ctl/interrupt", test_interrupt },
  { "/ctl/without-bus", test_without_bus },
  { "/ctl/unreadable", test_unreadable },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].function, tear_down);
  return g_test_run ();
}
