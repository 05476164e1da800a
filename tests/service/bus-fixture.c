/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "bus-fixture.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

char *
test_program (const char *part)
{
  g_autofree char *joined = g_test_build_filename (G_TEST_BUILT, part, NULL);

  return g_canonicalize_filename (joined, NULL);
}

static char *
make_folder (TestBus *bus, const char *name, const char *variable)
{
  char *path = g_build_filename (bus->root, name, NULL);

  g_assert_no_errno (g_mkdir_with_parents (path, 0700));
  if (variable != NULL)
    g_setenv (variable, path, TRUE);
  return path;
}

/* The MIME database of this system, but not its .thumbnailer entries. */
static void
isolate_data_dirs (TestBus *bus)
{
  g_autofree char *folder = make_folder (bus, "data-dirs", NULL);
  g_autofree char *link = g_build_filename (folder, "mime", NULL);

  g_assert_no_errno (symlink ("/usr/share/mime", link));
  g_setenv ("XDG_DATA_DIRS", folder, TRUE);
}

static void
make_folders (TestBus *bus)
{
  static const struct
  {
    const char *name;
    const char *variable;
  } folders[] = {
    { "home", "HOME" },
    { "cache", "XDG_CACHE_HOME" },
    { "config", "XDG_CONFIG_HOME" },
    { "config-dirs", "XDG_CONFIG_DIRS" },
    { "data", "XDG_DATA_HOME" },
    { "state", "XDG_STATE_HOME" },
    { "runtime", "XDG_RUNTIME_DIR" },
    { "services", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    g_free (make_folder (bus, folders[i].name, folders[i].variable));
  isolate_data_dirs (bus);
  bus->pictures = make_folder (bus, "pictures", NULL);
  bus->cache = g_build_filename (bus->root, "cache", "thumbnails", NULL);
  bus->log = g_build_filename (bus->root, "log", NULL);
}

static void
write_services (TestBus *bus, const char *folder, const char *daemon)
{
  static const char *const names[] = { TEST_NAME, TEST_CACHE_NAME };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *file = g_strconcat (names[i], ".service", NULL);
      g_autofree char *path = g_build_filename (folder, file, NULL);
      g_autofree char *text =
          g_strdup_printf ("[D-BUS Service]\nName=%s\nExec=%s\n", names[i], daemon);

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
    }
}

/* Whatever ends the test ends its bus and its service: GTestDBus leaves both behind when an
 * assertion fails. */
static void
die_with_parent (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

static GSubprocessLauncher *
new_launcher (GSubprocessFlags flags)
{
  GSubprocessLauncher *launcher = g_subprocess_launcher_new (flags);

  g_subprocess_launcher_set_child_setup (launcher, die_with_parent, NULL, NULL);
  return launcher;
}

static void
start_bus (TestBus *bus)
{
  g_autoptr (GSubprocessLauncher) launcher =
      new_launcher (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autofree char *path = g_build_filename (bus->root, "bus.conf", NULL);
  g_autofree char *option = g_strconcat ("--config-file=", path, NULL);
  g_autofree char *text =
      g_strdup_printf ("<busconfig><type>session</type><listen>unix:dir=%s</listen>"
                       "<servicedir>%s/data/dbus-1/services</servicedir>"
                       "<servicedir>%s/services</servicedir><policy context='default'>"
                       "<allow send_destination='*'/><allow receive_sender='*'/><allow "
                       "own='*'/></policy></busconfig>",
                       bus->root, bus->root, bus->root);
  g_autoptr (GDataInputStream) out = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  bus->bus = g_subprocess_launcher_spawn (launcher, NULL, "dbus-daemon", "--nofork",
                                          "--print-address", option, NULL);
  g_assert_nonnull (bus->bus);
  out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (bus->bus));
  bus->address = g_data_input_stream_read_line (out, NULL, NULL, NULL);
  g_assert_nonnull (bus->address);
  g_setenv ("DBUS_SESSION_BUS_ADDRESS", bus->address, TRUE);
}

/* Everything is exported before the bus starts: what it activates inherits it. */
TestBus *
test_bus_up (const char *daemon)
{
  TestBus *bus = g_new0 (TestBus, 1);
  g_autofree char *services = NULL;

  bus->root = g_dir_make_tmp ("thimble-test-XXXXXX", NULL);
  g_assert_nonnull (bus->root);
  make_folders (bus);
  services = g_build_filename (bus->root, "services", NULL);
  if (daemon != NULL)
    write_services (bus, services, daemon);
  start_bus (bus);
  return bus;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    {
      g_chmod (path, 0700);
      dir = g_dir_open (path, 0, NULL);
    }
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_remove (path);
}

void
test_bus_down (TestBus *bus)
{
  if (bus->daemon != NULL)
    test_bus_stop (bus);
  g_subprocess_force_exit (bus->bus);
  g_assert_true (g_subprocess_wait (bus->bus, NULL, NULL));
  g_object_unref (bus->bus);
  remove_tree (bus->root);
  g_free (bus->root);
  g_free (bus->address);
  g_free (bus->pictures);
  g_free (bus->cache);
  g_free (bus->log);
  g_free (bus);
}

void
test_bus_configure (TestBus *bus, const char *text)
{
  g_autofree char *folder = make_folder (bus, "config/thimble", NULL);
  g_autofree char *path = g_build_filename (folder, "thimble.conf", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
on_appeared (GDBusConnection *connection, const char *name, const char *owner, gpointer data)
{
  g_main_loop_quit (data);
}

static gboolean
on_too_long (gpointer data)
{
  g_assert_not_reached ();
}

static void
wait_for_name (TestClient *client)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  guint timer = g_timeout_add (TEST_PATIENCE_US / 1000, on_too_long, NULL);
  guint watch = g_bus_watch_name_on_connection (
      client->connection, TEST_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE, on_appeared, NULL, loop, NULL);

  g_main_loop_run (loop);
  g_bus_unwatch_name (watch);
  g_source_remove (timer);
}

void
test_bus_start (TestBus *bus, const char *program)
{
  g_autoptr (TestClient) client = test_client_new (bus);
  /* What GLib says there of a failed assertion would be taken for a word of the test's. */
  g_autoptr (GSubprocessLauncher) launcher = new_launcher (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);

  g_assert_null (bus->daemon);
  g_subprocess_launcher_set_stderr_file_path (launcher, bus->log);
  bus->daemon = g_subprocess_launcher_spawn (launcher, NULL, program, NULL);
  g_assert_nonnull (bus->daemon);
  wait_for_name (client);
}

char *
test_bus_log (TestBus *bus)
{
  char *text = NULL;

  g_assert_true (g_file_get_contents (bus->log, &text, NULL, NULL));
  return text;
}

static void
check_status (TestBus *bus, GSubprocess *daemon)
{
  g_autofree char *log = test_bus_log (bus);

  if (!g_subprocess_get_if_exited (daemon) || g_subprocess_get_exit_status (daemon) != 0)
    g_test_message ("the service said:\n%s", log);
  g_assert_true (g_subprocess_get_if_exited (daemon));
  g_assert_cmpint (g_subprocess_get_exit_status (daemon), ==, 0);
}

void
test_bus_wait (TestBus *bus)
{
  g_autoptr (GSubprocess) daemon = g_steal_pointer (&bus->daemon);

  g_assert_true (g_subprocess_wait (daemon, NULL, NULL));
  check_status (bus, daemon);
}

void
test_bus_stop (TestBus *bus)
{
  g_subprocess_send_signal (bus->daemon, SIGTERM);
  test_bus_wait (bus);
}
