/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/ctl-explain.h"

#include <stdio.h>

#include "cache/th-uri.h"
#include "ctl/ctl-status.h"
#include "ctl/th-activation.h"
#include "ctl/th-guess.h"
#include "ctl/th-service.h"
#include "ctl/th-tell.h"

typedef struct
{
  char *flavor_name;
  char *type;
  char **arguments;
  ThFlavor flavor;
  gboolean json;
  gboolean no_try;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->flavor_name);
  g_free (options->type);
  g_strfreev (options->arguments);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static void
ignore_handle (guint32 handle, gpointer data)
{
}

static void
ignore_ready (guint32 handle, const char *const *uris, gpointer data)
{
}

static void
ignore_error (guint32 handle, const char *const *uris, ThError code, const char *message,
              gpointer data)
{
}

/* Nothing is ever queued. */
static const ThEngineEvents no_events = {
  .started = ignore_handle,
  .ready = ignore_ready,
  .error = ignore_error,
  .finished = ignore_handle,
};

/* Nothing is ever queued, so nobody is called. */
static gboolean
call_nobody (const ThSpecialist *specialist, const ThSpecialistAsk *ask, gpointer data,
             GError **error)
{
  g_set_error_literal (error, TH_ERROR, TH_ERROR_CONNECTION, "nobody is called to explain");
  return FALSE;
}

/* Those that have registered with the service that runs: only it knows them. Whoever registers last
 * comes first. */
static void
take_over (ThSpecialists *specialists, GVariant *list)
{
  for (gsize i = g_variant_n_children (list); i > 0; i--)
    {
      const char *schemes[] = { NULL, NULL };
      const char *types[] = { NULL, NULL };
      const char *name, *file;

      g_variant_get_child (list, i - 1, "(&s&s&s&s)", &schemes[0], &types[0], &name, &file);
      if (file[0] == '\0')
        (void) th_specialists_register (specialists, name, schemes, types, NULL);
    }
}

static void
find_specialists (ThEngine *engine)
{
  const ThSpecialistCaller caller = { .call = call_nobody };
  g_autoptr (GDBusConnection) bus = th_activation_bus ();
  g_autoptr (GVariant) list = NULL;

  if (th_service_specialists (bus, &list) == TH_SERVICE_NO_BUS)
    return;
  th_engine_set_specialists (engine, &caller);
  if (list != NULL)
    take_over (th_engine_specialists (engine), list);
}

static void
tell_problems (const ThEngineOptions *options)
{
  for (guint i = 0; options->problems != NULL && i < options->problems->len; i++)
    fprintf (stderr, "%s\n", (char *) options->problems->pdata[i]);
}

static ThExplanation *
explain (ThEngine *engine, const Options *options, const char *argument)
{
  g_autofree char *uri = th_uri_from_argument (argument);
  g_autofree char *path = th_uri_to_path (uri, NULL);
  ThExplainQuestion question = {
    .uri = uri,
    .mime_type = options->type != NULL ? options->type : th_guess_type (uri, path),
    .flavor = options->flavor,
    .try_it = !options->no_try,
  };

  return th_explain (engine, &question);
}

static gboolean
explain_as_text (ThEngine *engine, const Options *options, const char *config)
{
  g_auto (ThExplainedSystem) system = { 0 };
  g_autofree char *told = NULL;
  gboolean good = TRUE;

  for (guint i = 0; options->arguments[i] != NULL; i++)
    {
      g_autoptr (ThExplanation) about = explain (engine, options, options->arguments[i]);
      g_autofree char *text = th_tell_file (about);

      printf ("%s\n", text);
      good = good && about->good;
    }
  th_explain_system (engine, !options->no_try, &system);
  told = th_tell_system (&system, config);
  fputs (told, stdout);
  return good;
}

static gboolean
explain_as_json (ThEngine *engine, const Options *options, const char *config)
{
  g_auto (ThExplainedSystem) system = { 0 };
  g_autoptr (ThJson) json = th_json_new ();
  gboolean good = TRUE;

  th_json_begin_object (json, NULL);
  th_json_begin_array (json, "files");
  for (guint i = 0; options->arguments[i] != NULL; i++)
    {
      g_autoptr (ThExplanation) about = explain (engine, options, options->arguments[i]);

      th_tell_file_json (json, about);
      good = good && about->good;
    }
  th_json_end (json);
  th_explain_system (engine, !options->no_try, &system);
  th_tell_system_json (json, &system, config);
  th_json_end (json);
  puts (th_json_text (json));
  return good;
}

static ThEngine *
start_engine (ThEngineOptions *options, GError **error)
{
  th_engine_options_init (options);
  if (!th_engine_options_load (options, error))
    return NULL;
  tell_problems (options);
  return th_engine_new (options, &no_events, NULL, error);
}

static int
run (const Options *options)
{
  g_autoptr (ThEngine) engine = NULL;
  g_autoptr (GError) error = NULL;
  ThEngineOptions settings;
  gboolean good = FALSE;

  engine = start_engine (&settings, &error);
  if (engine == NULL)
    fprintf (stderr, "thimblectl explain: %s\n", error->message);
  else
    find_specialists (engine);
  if (engine != NULL && options->json)
    good = explain_as_json (engine, options, settings.config_path);
  else if (engine != NULL)
    good = explain_as_text (engine, options, settings.config_path);
  th_engine_options_clear (&settings);
  if (fflush (stdout) == 0 && !ferror (stdout))
    return good ? CTL_OK : CTL_SOME_FAILED;
  fprintf (stderr, "thimblectl: standard output cannot be written\n");
  return CTL_SOME_FAILED;
}

static gboolean
check (Options *options, GError **error)
{
  options->flavor = TH_FLAVOR_LARGE;
  if (options->flavor_name != NULL && !th_flavor_from_name (options->flavor_name, &options->flavor))
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "“%s” is none of normal, large, x-large, xx-large", options->flavor_name);
      return FALSE;
    }
  if (options->arguments != NULL && options->arguments[0] != NULL)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "No file is named");
  return FALSE;
}

static gboolean
parse (int argc, char **argv, Options *options, GError **error)
{
  const GOptionEntry entries[] = {
    { "flavor", 'f', 0, G_OPTION_ARG_STRING, &options->flavor_name,
      "Of which thumbnail: normal, large (the default), x-large or xx-large", "FLAVOR" },
    { "type", 't', 0, G_OPTION_ARG_STRING, &options->type,
      "As if a program asked by this MIME type, and not by the one that is guessed", "TYPE" },
    { "json", 'j', 0, G_OPTION_ARG_NONE, &options->json, "Print one JSON object", NULL },
    { "no-try", 'n', 0, G_OPTION_ARG_NONE, &options->no_try, "Start no decoder", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->arguments, NULL, "FILE…" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (
      context, "Says why files have, or have no, thumbnails. Where one would be made the file is "
               "decoded\nto see what comes of it; nothing is written. Files are paths or URIs.");
  g_option_context_set_description (
      context, "Exit status: 0 all have a thumbnail or get one, 1 some do not, 2 wrong usage.\n");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, &argc, &argv, error) && check (options, error);
}

int
ctl_explain (int argc, char **argv)
{
  g_auto (Options) options = { NULL };
  g_autoptr (GError) error = NULL;

  g_set_prgname ("thimblectl explain");
  if (parse (argc, argv, &options, &error))
    return run (&options);
  fprintf (stderr, "thimblectl explain: %s\nthimblectl explain --help tells more.\n",
           error->message);
  return CTL_USAGE;
}
