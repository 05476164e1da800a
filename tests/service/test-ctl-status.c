/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl status with a service that has a number of its own in each place, with another
 * program's, and with none. */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus-fixture.h"
#include "ctl/th-screen.h"

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

/* What it prints; it must end with status 0. */
static char *
run (Fixture *fixture, const char *option)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error,
                                                      fixture->ctl, "status", option, NULL);
  char *out = NULL;

  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, NULL, NULL));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
  return out;
}

static void
check_has (const char *text, const char *const *parts)
{
  for (; *parts != NULL; parts++)
    {
      g_test_message ("“%s” in: %s", *parts, text);
      g_assert_nonnull (strstr (text, *parts));
    }
}

/* Nobody is started merely to be asked. */
static void
test_nobody (Fixture *fixture, gconstpointer data)
{
  static const char *const text_parts[] = {
    "No service runs at the moment.\n",
    "served by nobody at the moment\n",
    "started by ",
    NULL,
  };
  static const char *const json_parts[] = {
    "\"state\":\"not-running\"",
    "\"service\":null",
    "\"pid\":null",
    "\"name\":\"org.freedesktop.thumbnails.Thumbnailer1\"",
    NULL,
  };
  g_autoptr (TestClient) client = test_client_new (fixture->bus);
  g_autofree char *text = run (fixture, NULL);
  g_autofree char *json = run (fixture, "--json");

  check_has (text, text_parts);
  check_has (json, json_parts);
  g_assert_false (test_client_sees_owner (client));
}

static void
test_running (Fixture *fixture, gconstpointer data)
{
  static const char *const text_parts[] = {
    "thimbled " TH_VERSION ", process ",
    ", up 0:01:02\n",
    "11 in the foreground (1 at work), 12 in the background (2 at work), of 0 requests\n",
    "5.0 files/s, 2.0 MiB/s in the last 10 s; 34 files, 7.0 MiB since the start, 33 thumbnails\n",
    "31 hits, 32 misses (49 % hits)\n",
    "damaged data 41\n",
    "ok 42",
    "timeout 43",
    "9.0 MiB, workers 3.0 MiB; decodes have 5.0 MiB of 64.0 MiB\n",
    "svg      process 4711, at work, 12 files, 3.0 MiB\n",
    "thimbled-fake, process ",
    NULL,
  };
  static const char *const json_parts[] = {
    "\"state\":\"running\"",
    "\"uptime\":62000",
    "\"queued\":{\"foreground\":11,\"background\":12}",
    "\"running\":{\"foreground\":1,\"background\":2}",
    "\"workers\":[{\"kind\":\"svg\",\"pid\":4711,\"state\":\"busy\",\"files\":12,"
    "\"memory\":3145728}]",
    "\"budget_used\":5242880",
    "\"recent_files\":50",
    "\"hits\":31",
    "\"misses\":32",
    "\"errors\":{\"2\":41}",
    "\"timeout\":43",
    NULL,
  };
  g_autofree char *text = NULL;
  g_autofree char *json = NULL;

  test_bus_start (fixture->bus, fixture->daemon);
  text = run (fixture, NULL);
  json = run (fixture, "--json");
  check_has (text, text_parts);
  check_has (json, json_parts);
}

/* Another program's service knows nothing of the interface. */
static void
test_foreign (Fixture *fixture, gconstpointer data)
{
  static const char *const parts[] = { "The service that runs is not thimble's", NULL };
  g_autoptr (TestClient) client = test_client_new (fixture->bus);
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      client->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "RequestName", g_variant_new ("(su)", TEST_NAME, 4u), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL,
      NULL);
  g_autofree char *text = NULL;

  g_assert_nonnull (reply);
  text = run (fixture, NULL);
  check_has (text, parts);
}

static void
test_no_bus (Fixture *fixture, gconstpointer data)
{
  static const char *const parts[] = { "There is no session bus here.\n", NULL };
  g_autofree char *text = NULL;

  g_unsetenv ("DBUS_SESSION_BUS_ADDRESS");
  g_setenv ("XDG_RUNTIME_DIR", fixture->bus->root, TRUE);
  text = run (fixture, NULL);
  check_has (text, parts);
}

/* Into a pipe: one object a line, and no code for a terminal; an interrupt is the usual end. The
 * service that comes meanwhile is seen. */
static void
test_piped (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, fixture->ctl, "status", "--watch", "--json", NULL);
  g_autoptr (GDataInputStream) lines =
      g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  g_autofree char *first = g_data_input_stream_read_line (lines, NULL, NULL, NULL);
  gboolean seen = FALSE;

  g_assert_true (g_str_has_prefix (first, "{\"state\":\"not-running\""));
  test_bus_start (fixture->bus, fixture->daemon);
  while (!seen)
    {
      g_autofree char *line = g_data_input_stream_read_line (lines, NULL, NULL, &error);

      g_assert_no_error (error);
      g_assert_nonnull (line);
      g_assert_true (g_str_has_suffix (line, "}"));
      g_assert_null (strchr (line, '\033'));
      seen = g_str_has_prefix (line, "{\"state\":\"running\"");
    }
  g_subprocess_send_signal (process, SIGINT);
  g_assert_true (g_subprocess_wait (process, NULL, NULL));
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
}

/* Everything up to the second time that it is shown. */
static char *
read_twice (int terminal)
{
  GString *text = g_string_new (NULL);
  char buffer[4096];

  while (text->len == 0 || strstr (text->str, "\033[J") == NULL
         || strstr (strstr (text->str, "\033[J") + 1, "\033[J") == NULL)
    {
      gssize n = read (terminal, buffer, sizeof buffer);

      g_assert_cmpint (n, >, 0);
      g_string_append_len (text, buffer, n);
    }
  return g_string_free (text, FALSE);
}

/* On a terminal in place, with the cursor hidden and given back. */
static void
test_terminal (Fixture *fixture, gconstpointer data)
{
  int terminal = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *shown = NULL;
  char rest[4096];
  gssize n;

  g_assert_no_errno (terminal);
  g_assert_no_errno (grantpt (terminal));
  g_assert_no_errno (unlockpt (terminal));
  g_subprocess_launcher_setenv (launcher, "TERM", "xterm", TRUE);
  g_subprocess_launcher_take_stdout_fd (launcher,
                                        open (ptsname (terminal), O_RDWR | O_NOCTTY | O_CLOEXEC));
  process = g_subprocess_launcher_spawn (launcher, &error, fixture->ctl, "status", "-w", NULL);
  g_assert_no_error (error);
  shown = read_twice (terminal);
  g_assert_true (g_str_has_prefix (shown, "\033[?25l\033[H\033[2J\033[HNo service runs"));
  g_subprocess_send_signal (process, SIGTERM);
  g_assert_true (g_subprocess_wait (process, NULL, NULL));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
  n = read (terminal, rest, sizeof rest - 1);
  g_assert_cmpint (n, >, 0);
  rest[n] = '\0';
  g_assert_true (g_str_has_suffix (rest, "\033[?25h"));
  close (terminal);
}

/* Neither wraps nor scrolls, whatever is in it. */
static void
test_draw (void)
{
  g_autofree char *all = th_screen_draw ("one\ntwo\n", 80, 24);
  g_autofree char *narrow = th_screen_draw ("abcdef\n\u4e2d\u6587\u4e2d\n", 5, 24);
  g_autofree char *low = th_screen_draw ("1\n2\n3\n4\n", 80, 3);

  g_assert_cmpstr (all, ==, "\033[Hone\033[K\ntwo\033[K\n\033[J");
  g_assert_cmpstr (narrow, ==, "\033[Habcde\033[K\n\u4e2d\u6587\033[K\n\033[J");
  g_assert_cmpstr (low, ==, "\033[H1\033[K\n2\033[K\n\033[J");
}

static const struct
{
  const char *path;
  void (*function) (Fixture *, gconstpointer);
} tests[] = {
  { "/ctl-status/nobody", test_nobody },   { "/ctl-status/running", test_running },
  { "/ctl-status/foreign", test_foreign }, { "/ctl-status/no-bus", test_no_bus },
  { "/ctl-status/piped", test_piped },     { "/ctl-status/terminal", test_terminal },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].function, tear_down);
  g_test_add_func ("/ctl-status/draw", test_draw);
  return g_test_run ();
}
