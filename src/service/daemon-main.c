/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimbled: parses, wires, runs. */
#include "config.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/th-open.h"
#include "service/th-cache-iface.h"
#include "service/th-idle.h"
#include "service/th-manager-iface.h"
#include "service/th-names.h"
#include "service/th-service-iface.h"
#include "service/th-thumbnailer.h"

/* How long requests that are given up at the end may take to say so. */
#define FAREWELL_MS 1000

static const char *const bus_names[] = {
  "org.freedesktop.thumbnails.Cache1",
  "org.freedesktop.thumbnails.Manager1",
  "org.freedesktop.thumbnails.Thumbnailer1",
  NULL,
};
static const int quit_signals[] = { SIGTERM, SIGINT, SIGHUP };

typedef struct
{
  GMainLoop *loop;
  GDBusConnection *connection;
  ThIdle *idle;
  ThThumbnailer *thumbnailer;
  ThCacheIface *cache;
  ThManagerIface *manager;
  ThServiceIface *service;
  ThNames *names;
  guint sources[G_N_ELEMENTS (quit_signals)];
  guint farewell;
  gboolean stopping; /* by a signal */
  gboolean leaving;  /* as soon as nothing is held */
  gboolean outdated; /* for another version's sake */
  int status;
  gboolean releasing; /* because nothing has been held for long */
} Daemon;

static gboolean
on_farewell (gpointer data)
{
  Daemon *daemon = data;

  daemon->farewell = 0;
  g_main_loop_quit (daemon->loop);
  return G_SOURCE_REMOVE;
}

/* First the names, so that new calls start another service; then what is under way is given up; a
 * second signal does not wait for either. */
static gboolean
on_signal (gpointer data)
{
  Daemon *daemon = data;

  if (daemon->stopping)
    {
      g_main_loop_quit (daemon->loop);
      return G_SOURCE_CONTINUE;
    }
  daemon->stopping = TRUE;
  daemon->releasing = FALSE;
  daemon->farewell = g_timeout_add (FAREWELL_MS, on_farewell, daemon);
  th_names_release (daemon->names);
  return G_SOURCE_CONTINUE;
}

static void
on_idle (gpointer data)
{
  Daemon *daemon = data;

  if (daemon->leaving)
    g_main_loop_quit (daemon->loop);
  else
    th_names_release (daemon->names);
  daemon->releasing = !daemon->leaving;
}

/* A request that came by name before the name was gone: the service stays. The name is asked for
 * before the first signal of the request, so that clients who go by the name's owner hear it. */
static void
on_needed (gpointer data)
{
  Daemon *daemon = data;

  if (daemon->releasing)
    th_names_request (daemon->names);
  daemon->releasing = FALSE;
}

static void
on_released (gpointer data)
{
  Daemon *daemon = data;

  if (!daemon->stopping && !daemon->outdated)
    {
      g_main_loop_quit (daemon->loop);
      return;
    }
  daemon->leaving = TRUE;
  if (!daemon->stopping)
    {
      th_idle_expire_soon (daemon->idle);
      return;
    }
  th_thumbnailer_dequeue_all (daemon->thumbnailer);
  th_manager_iface_let_go (daemon->manager);
  th_idle_expire_soon (daemon->idle);
}

/* The next call starts the new version; what was taken on is still finished. */
static void
on_outdated (gpointer data)
{
  Daemon *daemon = data;

  if (daemon->stopping || daemon->leaving || daemon->outdated)
    return;
  g_message ("Another version was installed; leaving");
  daemon->outdated = TRUE;
  daemon->releasing = FALSE;
  th_manager_iface_let_go (daemon->manager);
  th_names_release (daemon->names);
}

/* That somebody else serves this session is no failure. What was taken on is still finished. */
static void
on_name_lost (const char *name, const GError *error, gpointer data)
{
  Daemon *daemon = data;

  if (error == NULL)
    g_message ("The bus name %s belongs to another program; leaving", name);
  else
    g_warning ("The bus name %s cannot be had: %s", name, error->message);
  daemon->status = error == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
  daemon->leaving = TRUE;
  th_manager_iface_let_go (daemon->manager);
  th_idle_expire_soon (daemon->idle);
}

static void
on_closed (GDBusConnection *connection, gboolean vanished, GError *error, gpointer data)
{
  Daemon *daemon = data;

  g_main_loop_quit (daemon->loop);
}

static void
daemon_clear (Daemon *daemon)
{
  for (gsize i = 0; i < G_N_ELEMENTS (quit_signals); i++)
    g_clear_handle_id (&daemon->sources[i], g_source_remove);
  g_clear_handle_id (&daemon->farewell, g_source_remove);
  g_clear_pointer (&daemon->names, th_names_free);
  g_clear_pointer (&daemon->manager, th_manager_iface_free);
  g_clear_pointer (&daemon->thumbnailer, th_thumbnailer_free);
  g_clear_pointer (&daemon->cache, th_cache_iface_free);
  g_clear_pointer (&daemon->service, th_service_iface_free);
  g_clear_pointer (&daemon->idle, th_idle_free);
  if (daemon->connection != NULL)
    {
      g_signal_handlers_disconnect_by_data (daemon->connection, daemon);
      g_dbus_connection_flush_sync (daemon->connection, NULL, NULL);
    }
  g_clear_object (&daemon->connection);
  g_clear_pointer (&daemon->loop, g_main_loop_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Daemon, daemon_clear)

/* What could be understood counts: rules above all, which say what is to be left alone. */
static void
load_configuration (ThEngineOptions *options)
{
  th_engine_options_load (options, NULL);
  for (guint i = 0; options->problems != NULL && i < options->problems->len; i++)
    g_warning ("%s", (const char *) options->problems->pdata[i]);
}

/* What is on the bus beside the thumbnailer, with its engine. */
static gboolean
start_others (Daemon *daemon, GError **error)
{
  ThEngine *engine = th_thumbnailer_engine (daemon->thumbnailer);

  daemon->cache = th_cache_iface_new (daemon->connection, engine, daemon->idle, error);
  if (daemon->cache == NULL)
    return FALSE;
  daemon->service = th_service_iface_new (daemon->connection, engine, daemon->idle, error);
  if (daemon->service == NULL)
    return FALSE;
  daemon->manager = th_manager_iface_new (daemon->connection, th_engine_specialists (engine),
                                          daemon->idle, error);
  return daemon->manager != NULL;
}

static gboolean
start_objects (Daemon *daemon, GError **error)
{
  static const ThIdleEvents events = { .expired = on_idle, .needed = on_needed };
  ThEngineOptions options;

  th_engine_options_init (&options);
  load_configuration (&options);
  daemon->idle = th_idle_new (options.idle_seconds, &events, daemon);
  daemon->thumbnailer = th_thumbnailer_new (daemon->connection, &options, daemon->idle, error);
  th_engine_options_clear (&options);
  if (daemon->thumbnailer == NULL)
    return FALSE;
  th_thumbnailer_watch_upgrade (daemon->thumbnailer, on_outdated, daemon);
  return start_others (daemon, error);
}

/* The objects are there before the names are, and the signal handlers before either. */
static gboolean
start (Daemon *daemon, GError **error)
{
  static const ThNamesEvents events = { .lost = on_name_lost, .released = on_released };

  daemon->loop = g_main_loop_new (NULL, FALSE);
  daemon->connection = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, error);
  if (daemon->connection == NULL)
    return FALSE;
  g_dbus_connection_set_exit_on_close (daemon->connection, FALSE);
  g_signal_connect (daemon->connection, "closed", G_CALLBACK (on_closed), daemon);
  daemon->names = th_names_new (daemon->connection, bus_names, &events, daemon);
  for (gsize i = 0; i < G_N_ELEMENTS (quit_signals); i++)
    daemon->sources[i] = g_unix_signal_add (quit_signals[i], on_signal, daemon);
  if (!start_objects (daemon, error))
    return FALSE;
  th_names_request (daemon->names);
  return TRUE;
}

static gboolean
parse (int *argc, char ***argv, gboolean *version, GError **error)
{
  const GOptionEntry entries[] = {
    { "version", 0, 0, G_OPTION_ARG_NONE, version, "Print the version and leave", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (
      context, "Serves org.freedesktop.thumbnails.Thumbnailer1 on the session bus. The bus starts "
               "it on demand,\nand it leaves when it has not been needed for a while.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (*argc == 1)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "It takes no arguments");
  return FALSE;
}

/* GLib before 2.76 never gives small memory back, unless it is told to when it is loaded: 40 MiB
 * after a call with 100,000 files. What cannot be done is done without. */
static void
keep_no_memory (char **argv)
{
  char path[PATH_MAX];
  gssize n = readlink ("/proc/self/exe", path, sizeof path - 1);

  if (glib_check_version (2, 76, 0) == NULL || g_getenv ("G_SLICE") != NULL || n <= 0)
    return;
  path[n] = '\0';
  if (g_setenv ("G_SLICE", "always-malloc", TRUE))
    execv (path, argv);
}

int
main (int argc, char **argv)
{
  g_auto (Daemon) daemon = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean version = FALSE;

  if (!th_open_standard_streams ())
    return EXIT_FAILURE;
  keep_no_memory (argv);
  /* A limit on the size of files is an error to report, not the end. */
  (void) signal (SIGXFSZ, SIG_IGN);
  setlocale (LC_ALL, "");
  g_set_prgname ("thimbled");
  if (!parse (&argc, &argv, &version, &error))
    {
      g_printerr ("thimbled: %s\n", error->message);
      return 2;
    }
  if (version)
    {
      g_print ("thimbled %s\n", TH_VERSION);
      return EXIT_SUCCESS;
    }
  /* Whatever it was started in may be unmounted. */
  if (chdir ("/") != 0)
    g_warning ("The root folder cannot be entered: %s", g_strerror (errno));
  if (!start (&daemon, &error))
    {
      g_printerr ("thimbled: %s\n", error->message);
      return EXIT_FAILURE;
    }
  g_main_loop_run (daemon.loop);
  return daemon.status;
}
