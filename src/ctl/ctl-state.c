/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/ctl-state.h"

#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>

#include "ctl/ctl-status.h"
#include "ctl/th-activation.h"
#include "ctl/th-json.h"
#include "ctl/th-screen.h"
#include "ctl/th-service.h"
#include "ctl/th-tell-status.h"
#include "ctl/th-text.h"

#define WATCH_MS 1000u

static const char *const names[] = {
  "org.freedesktop.thumbnails.Cache1",
  "org.freedesktop.thumbnails.Manager1",
  "org.freedesktop.thumbnails.Thumbnailer1",
};

typedef struct
{
  gboolean watch;
  gboolean json;
} Options;

typedef struct
{
  const Options *options;
  GDBusConnection *bus; /* NULL: there is none */
  GMainLoop *loop;
  ThScreen screen;
  gboolean broken; /* standard output cannot be written */
} State;

/* What is known of a name; both may be NULL. */
typedef struct
{
  guint32 pid;
  char *program;
  char *file;
  char *exec;
} Name;

static void
name_clear (Name *name)
{
  g_free (name->program);
  g_free (name->file);
  g_free (name->exec);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Name, name_clear)

static void
find_name (GDBusConnection *bus, const char *name, Name *found)
{
  found->pid = bus != NULL ? th_activation_owner (bus, name) : 0;
  found->program = found->pid != 0 ? th_activation_program (found->pid) : NULL;
  found->file = th_activation_first (name);
  found->exec = found->file != NULL ? th_activation_value (found->file, "Exec") : NULL;
}

static void add_line (GString *out, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add_line (GString *out, const char *format, ...)
{
  g_autofree char *raw = NULL;
  g_autofree char *line = NULL;
  va_list arguments;

  va_start (arguments, format);
  raw = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  line = th_text_for_people (raw);
  g_string_append_printf (out, "%s\n", line);
}

static void
tell_name (const State *state, const char *name, GString *out)
{
  g_auto (Name) found = { 0 };

  find_name (state->bus, name, &found);
  add_line (out, "%s", name);
  if (found.program != NULL)
    add_line (out, "  served by %s, process %u", found.program, found.pid);
  else
    add_line (out, "  served by nobody %s",
              state->bus != NULL ? "at the moment" : "without a session bus");
  if (found.file != NULL)
    add_line (out, "  started by %s: %s", found.file,
              found.exec != NULL ? found.exec : "no program");
  else
    add_line (out, "  started by nobody");
}

static char *
tell_as_text (const State *state)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GVariant) status = NULL;
  ThServiceAnswer answer = th_service_status (state->bus, &status);
  g_autofree char *told = status != NULL ? th_tell_status (status) : NULL;

  g_string_append (out, told != NULL ? told : th_service_describe (answer));
  g_string_append (out, told != NULL ? "\n" : "\n\n");
  for (gsize i = 0; i < G_N_ELEMENTS (names) && !state->options->watch; i++)
    tell_name (state, names[i], out);
  return g_string_free (out, FALSE);
}

static void
tell_name_as_json (const State *state, const char *name, ThJson *json)
{
  g_auto (Name) found = { 0 };

  find_name (state->bus, name, &found);
  th_json_begin_object (json, NULL);
  th_json_string (json, "name", name);
  th_json_string (json, "program", found.program);
  if (found.pid != 0)
    th_json_integer (json, "pid", found.pid);
  else
    th_json_null (json, "pid");
  th_json_string (json, "activation_file", found.file);
  th_json_string (json, "activation_program", found.exec);
  th_json_end (json);
}

static char *
tell_as_json (const State *state)
{
  g_autoptr (ThJson) json = th_json_new ();
  g_autoptr (GVariant) status = NULL;
  ThServiceAnswer answer = th_service_status (state->bus, &status);

  th_json_begin_object (json, NULL);
  th_json_string (json, "state", th_service_word (answer));
  if (status != NULL)
    {
      th_json_begin_object (json, "service");
      th_tell_status_json (json, status);
      th_json_end (json);
    }
  else
    th_json_null (json, "service");
  th_json_begin_array (json, "names");
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    tell_name_as_json (state, names[i], json);
  th_json_end (json);
  th_json_end (json);
  return g_strconcat (th_json_text (json), "\n", NULL);
}

static gboolean
on_time (gpointer data)
{
  State *state = data;
  g_autofree char *text = state->options->json ? tell_as_json (state) : tell_as_text (state);

  state->broken = !th_screen_show (&state->screen, text);
  if (!state->broken)
    return G_SOURCE_CONTINUE;
  g_main_loop_quit (state->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_end (gpointer data)
{
  State *state = data;

  g_main_loop_quit (state->loop);
  return G_SOURCE_CONTINUE;
}

/* Its end by a signal is the usual one. */
static void
watch (State *state)
{
  guint sources[] = {
    g_unix_signal_add (SIGINT, on_end, state),
    g_unix_signal_add (SIGTERM, on_end, state),
    g_unix_signal_add (SIGHUP, on_end, state),
    g_timeout_add (WATCH_MS, on_time, state),
  };

  (void) signal (SIGPIPE, SIG_IGN);
  if (!state->options->json)
    th_screen_init (&state->screen);
  on_time (state);
  if (!state->broken)
    g_main_loop_run (state->loop);
  th_screen_end (&state->screen);
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
}

static int
run (const Options *options)
{
  State state = { .options = options };

  state.bus = th_activation_bus ();
  state.loop = g_main_loop_new (NULL, FALSE);
  if (state.bus != NULL)
    g_dbus_connection_set_exit_on_close (state.bus, FALSE);
  if (options->watch)
    watch (&state);
  else
    on_time (&state);
  g_clear_object (&state.bus);
  g_main_loop_unref (state.loop);
  if (!state.broken)
    return CTL_OK;
  fprintf (stderr, "thimblectl: standard output cannot be written\n");
  return CTL_SOME_FAILED;
}

int
ctl_status (int argc, char **argv)
{
  Options options = { FALSE };
  const GOptionEntry entries[] = {
    { "watch", 'w', 0, G_OPTION_ARG_NONE, &options.watch,
      "Tell again each second, without the bus names, until interrupted", NULL },
    { "json", 'j', 0, G_OPTION_ARG_NONE, &options.json,
      "Print one JSON object; with --watch one a line", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_set_prgname ("thimblectl status");
  g_option_context_set_summary (
      context, "Tells how the service is doing: queue, throughput, cache hits, failures, memory,\n"
               "workers; and for each of thimble's bus names who has it now, and which activation\n"
               "file starts a service for it. It starts none.");
  g_option_context_set_description (context,
                                    "Exit status: 0 also where no service runs, 2 wrong usage.\n");
  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error) && argc == 1)
    return run (&options);
  fprintf (stderr, "thimblectl status: %s\nthimblectl status --help tells more.\n",
           error != NULL ? error->message : "It takes no arguments");
  return CTL_USAGE;
}
