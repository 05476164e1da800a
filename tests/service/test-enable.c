/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl enable, disable and status, on a bus that has another service for the same name. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "bus-fixture.h"

#define ENTRY "thimble.thumbnailer"

typedef struct
{
  TestBus *bus;
  TestClient *client;
  char *ctl;
  char *services; /* the user's folder of activation files */
  char *activation;
  char *thumbnailer;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *other = test_program ("service/thimbled-fake");
  const char *root;

  fixture->bus = test_bus_up (other);
  root = fixture->bus->root;
  fixture->client = test_client_new (fixture->bus);
  fixture->ctl = test_program ("../src/ctl/thimblectl");
  fixture->services = g_build_filename (root, "data/dbus-1/services", NULL);
  fixture->activation = g_build_filename (fixture->services, TEST_NAME ".service", NULL);
  fixture->thumbnailer = g_build_filename (root, "data/thumbnailers", ENTRY, NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_client_free (fixture->client);
  test_bus_down (fixture->bus);
  g_free (fixture->ctl);
  g_free (fixture->services);
  g_free (fixture->activation);
  g_free (fixture->thumbnailer);
}

/* Returns all that it printed. */
static char *
run (Fixture *fixture, int expected, const char *command, const char *argument)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE, &error,
                        fixture->ctl, command, argument, NULL);
  char *said = NULL;

  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &said, NULL, &error));
  g_assert_no_error (error);
  g_test_message ("thimblectl %s: %s", command, said);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, expected);
  return said;
}

static void
check_says (Fixture *fixture, int expected, const char *command, const char *text)
{
  g_autofree char *said = run (fixture, expected, command, NULL);

  g_assert_nonnull (strstr (said, text));
}

static gboolean
is_there (const char *path)
{
  struct stat info;

  return lstat (path, &info) == 0;
}

/* Calls the service by name, which starts one, and checks which it is. */
static void
check_program (Fixture *fixture, const char *part, int *pid)
{
  g_autoptr (GVariant) reply = test_client_call (fixture->client, "GetFlavors", NULL);
  g_autofree char *expected = test_program (part);
  g_autofree char *link = NULL;
  g_autofree char *program = NULL;

  g_assert_nonnull (reply);
  *pid = test_client_service_pid (fixture->client, 0);
  link = g_strdup_printf ("/proc/%d/exe", *pid);
  program = g_file_read_link (link, NULL);
  g_assert_cmpstr (program, ==, expected);
}

static void
stop (Fixture *fixture, int pid)
{
  g_assert_no_errno (kill (pid, SIGTERM));
  test_client_wait_unowned (fixture->client);
}

/* The bus was there before the folder. A service that runs stays until it leaves, and both commands
 * say so. */
static void
test_takes_over (Fixture *fixture, gconstpointer data)
{
  int pid = 0;

  check_says (fixture, 0, "status", "served by nobody at the moment");
  check_program (fixture, "service/thimbled-fake", &pid);
  check_says (fixture, 0, "enable", "still belongs to ");
  g_assert_true (g_file_test (fixture->activation, G_FILE_TEST_IS_REGULAR));
  g_assert_true (g_file_test (fixture->thumbnailer, G_FILE_TEST_IS_REGULAR));
  stop (fixture, pid);
  check_program (fixture, "../src/service/thimbled", &pid);
  check_says (fixture, 0, "status", fixture->activation);
  check_says (fixture, 0, "status", "src/service/thimbled, process ");
  check_says (fixture, 0, "enable", "thimble was enabled already.\n");
  check_says (fixture, 0, "disable", "still belongs to ");
  g_assert_false (is_there (fixture->activation));
  g_assert_false (is_there (fixture->thumbnailer));
  stop (fixture, pid);
  check_program (fixture, "service/thimbled-fake", &pid);
  check_says (fixture, 0, "disable", "thimble was disabled already.\n");
  stop (fixture, pid);
}

static void
write_text (const char *path, const char *text)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
check_text (const char *path, const char *text)
{
  g_autofree char *found = NULL;

  g_assert_true (g_file_get_contents (path, &found, NULL, NULL));
  g_assert_cmpstr (found, ==, text);
}

/* A file of the user's own at one place: it stays, and the other place is served. */
static void
test_others_file (Fixture *fixture, gconstpointer data)
{
  write_text (fixture->thumbnailer, "mine");
  check_says (fixture, 1, "enable", "is not of thimble's making and stays");
  check_text (fixture->thumbnailer, "mine");
  g_assert_true (is_there (fixture->activation));
  check_says (fixture, 0, "disable", fixture->activation);
  check_text (fixture->thumbnailer, "mine");
  g_assert_false (is_there (fixture->activation));
}

/* The same name of the bus under another name of a file. */
static void
test_rival (Fixture *fixture, gconstpointer data)
{
  static const char text[] = "[D-BUS Service]\nName=" TEST_NAME "\nExec=/bin/false\n";
  g_autofree char *path = g_build_filename (fixture->services, "mine.service", NULL);

  write_text (path, text);
  check_says (fixture, 1, "enable", path);
  g_assert_false (is_there (fixture->activation));
  g_assert_true (is_there (fixture->thumbnailer));
  check_text (path, text);
}

/* Links: of another installation, which are ours, and of the user's. */
static void
test_links (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *target;
    gboolean ours;
  } rows[] = {
    { "/nonexistent/share/thimble/" TEST_NAME ".service", TRUE },
    { "/nonexistent/share/" TEST_NAME ".service", FALSE },
    { "/nonexistent/share/thimble/other.service", FALSE },
  };

  g_assert_no_errno (g_mkdir_with_parents (fixture->services, 0700));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *target = NULL;

      g_assert_no_errno (symlink (rows[i].target, fixture->activation));
      g_free (run (fixture, rows[i].ours ? 0 : 1, "enable", NULL));
      target = g_file_read_link (fixture->activation, NULL);
      g_assert_true ((g_strcmp0 (target, rows[i].target) == 0) != rows[i].ours);
      g_free (run (fixture, 0, "disable", NULL));
      g_assert_true (is_there (fixture->activation) != rows[i].ours);
      (void) g_unlink (fixture->activation);
    }
}

static void
test_no_folder (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_path_get_dirname (fixture->thumbnailer);

  write_text (folder, "a file where the folder should be");
  check_says (fixture, 1, "enable", "thimblectl: Cannot make the folder");
  g_assert_true (is_there (fixture->activation));
}

static void
test_no_bus (Fixture *fixture, gconstpointer data)
{
  g_unsetenv ("DBUS_SESSION_BUS_ADDRESS");
  check_says (fixture, 0, "enable", "There is no session bus here");
  check_says (fixture, 0, "status", "without a session bus");
  g_assert_true (is_there (fixture->activation));
}

/* HOME is the test's own, which the bus knows nothing of. */
static void
test_other_home (Fixture *fixture, gconstpointer data)
{
  g_autofree char *with = run (fixture, 0, "enable", NULL);

  g_assert_null (strstr (with, "unless XDG_DATA_HOME is set"));
  g_unsetenv ("XDG_DATA_HOME");
  check_says (fixture, 0, "enable", "unless XDG_DATA_HOME is set");
}

static void
test_usage (Fixture *fixture, gconstpointer data)
{
  static const char *const commands[] = { "enable", "disable", "status" };

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *help = run (fixture, 0, commands[i], "--help");

      g_assert_nonnull (strstr (help, "Usage:"));
      g_free (run (fixture, 2, commands[i], "now"));
      g_free (run (fixture, 2, commands[i], "--now"));
    }
  g_assert_false (is_there (fixture->activation));
}

static const struct
{
  const char *path;
  void (*function) (Fixture *, gconstpointer);
} tests[] = {
  { "/enable/takes-over", test_takes_over }, { "/enable/others-file", test_others_file },
  { "/enable/rival", test_rival },           { "/enable/links", test_links },
  { "/enable/no-folder", test_no_folder },   { "/enable/no-bus", test_no_bus },
  { "/enable/other-home", test_other_home }, { "/enable/usage", test_usage },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].function, tear_down);
  return g_test_run ();
}
