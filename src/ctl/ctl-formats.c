/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/ctl-formats.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "ctl/ctl-status.h"
#include "ctl/th-activation.h"
#include "ctl/th-json.h"
#include "ctl/th-service.h"
#include "ctl/th-text.h"
#include "engine/th-entries.h"
#include "engine/th-manifests.h"

/* One that makes thumbnails. */
typedef struct
{
  const char *name;    /* of a format of ours, or of a program */
  const char *handler; /* "built-in", "module", "program" or "specialised" */
  const char *trouble; /* why it makes none, or NULL */
  GPtrArray *types;    /* sorted */
} Maker;

static Maker *
maker_new (const char *name, const char *handler)
{
  Maker *maker = g_new0 (Maker, 1);

  maker->name = g_intern_string (name);
  maker->handler = handler;
  maker->types = g_ptr_array_new ();
  return maker;
}

static void
maker_free (gpointer data)
{
  Maker *maker = data;

  g_ptr_array_unref (maker->types);
  g_free (maker);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Maker *const *) a)->name, (*(const Maker *const *) b)->name);
}

static Maker *
find (GPtrArray *makers, const char *name, const char *handler)
{
  for (guint i = 0; i < makers->len; i++)
    {
      Maker *maker = makers->pdata[i];

      if (strcmp (maker->name, name) == 0 && strcmp (maker->handler, handler) == 0)
        return maker;
    }
  g_ptr_array_add (makers, maker_new (name, handler));
  return makers->pdata[makers->len - 1];
}

/* A module whose manifest is there and whose worker is not. */
static const char *
trouble_of (const char *module)
{
  g_autofree char *folder = th_paths_modules ();
  g_autofree char *worker = th_paths_module (folder, module);

  return access (worker, X_OK) == 0 ? NULL : "its worker is not installed";
}

static GPtrArray *
list_ours (const ThManifests *manifests)
{
  GPtrArray *makers = g_ptr_array_new_with_free_func (maker_free);

  for (guint i = 0; manifests->types->pdata[i] != NULL; i++)
    {
      const char *type = manifests->types->pdata[i];
      const char *codec = g_hash_table_lookup (manifests->known, type);
      const char *module = g_hash_table_lookup (manifests->modules, codec);
      Maker *maker = find (makers, codec, module != NULL ? "module" : "built-in");

      g_ptr_array_add (maker->types, (gpointer) type);
      if (module != NULL && maker->types->len == 1)
        maker->trouble = trouble_of (module);
    }
  g_ptr_array_sort (makers, by_name);
  return makers;
}

/* Types that no decoder of ours has, each with the program that is asked first. */
static GPtrArray *
list_programs (ThEntries *entries, const ThManifests *manifests)
{
  GPtrArray *makers = g_ptr_array_new_with_free_func (maker_free);
  g_auto (GStrv) types = th_entries_types (entries);

  for (guint i = 0; types[i] != NULL; i++)
    {
      g_autoptr (GPtrArray) serving = NULL;
      g_autofree char *program = NULL;

      if (g_hash_table_contains (manifests->known, types[i]))
        continue;
      serving = th_entries_find (entries, types[i]);
      if (serving->len == 0)
        continue;
      program = th_entry_program (serving->pdata[0]);
      g_ptr_array_add (find (makers, program, "program")->types,
                       (gpointer) g_intern_string (types[i]));
    }
  g_ptr_array_sort (makers, by_name);
  return makers;
}

/* Only the service that runs knows who has registered with it. */
static GPtrArray *
list_specialists (void)
{
  GPtrArray *makers = g_ptr_array_new_with_free_func (maker_free);
  g_autoptr (GDBusConnection) bus = th_activation_bus ();
  g_autoptr (GVariant) list = NULL;

  th_service_specialists (bus, &list);
  for (gsize i = 0; list != NULL && i < g_variant_n_children (list); i++)
    {
      const char *type, *name;
      Maker *maker;

      g_variant_get_child (list, i, "(&s&s&s&s)", NULL, &type, &name, NULL);
      maker = find (makers, name, "specialised");
      type = g_intern_string (type);
      if (!g_ptr_array_find (maker->types, type, NULL))
        g_ptr_array_add (maker->types, (gpointer) type);
    }
  g_ptr_array_sort (makers, by_name);
  return makers;
}

static void
tell (GPtrArray *makers)
{
  for (guint i = 0; i < makers->len; i++)
    {
      const Maker *maker = makers->pdata[i];
      g_autofree char *name = th_text_for_people (maker->name);

      printf ("%s (%s%s%s):", name, maker->handler, maker->trouble != NULL ? ", but " : "",
              maker->trouble != NULL ? maker->trouble : "");
      for (guint k = 0; k < maker->types->len; k++)
        printf (" %s", (const char *) maker->types->pdata[k]);
      putchar ('\n');
    }
}

static void
tell_json (ThJson *json, GPtrArray *makers)
{
  for (guint i = 0; i < makers->len; i++)
    {
      const Maker *maker = makers->pdata[i];

      th_json_begin_object (json, NULL);
      th_json_string (json, "name", maker->name);
      th_json_string (json, "handler", maker->handler);
      th_json_string (json, "trouble", maker->trouble);
      th_json_begin_array (json, "types");
      for (guint k = 0; k < maker->types->len; k++)
        th_json_string (json, NULL, maker->types->pdata[k]);
      th_json_end (json);
      th_json_end (json);
    }
}

static int
run (gboolean as_json)
{
  g_autofree char *folder = th_paths_manifests ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ThManifests) manifests = th_manifests_read (folder, &error);
  g_autoptr (ThEntries) entries = NULL;
  g_autoptr (GPtrArray) ours = NULL, programs = NULL, specialists = NULL;
  g_autoptr (ThJson) json = th_json_new ();

  if (manifests == NULL)
    {
      fprintf (stderr, "thimblectl formats: %s\n", error->message);
      return CTL_SOME_FAILED;
    }
  entries = th_entries_new (NULL);
  ours = list_ours (manifests);
  programs = list_programs (entries, manifests);
  specialists = list_specialists ();
  if (as_json)
    {
      th_json_begin_array (json, NULL);
      tell_json (json, ours);
      tell_json (json, programs);
      tell_json (json, specialists);
      th_json_end (json);
      puts (th_json_text (json));
    }
  else
    {
      tell (ours);
      tell (programs);
      tell (specialists);
    }
  if (fflush (stdout) == 0 && !ferror (stdout))
    return CTL_OK;
  fprintf (stderr, "thimblectl: standard output cannot be written\n");
  return CTL_SOME_FAILED;
}

static gboolean
parse (int argc, char **argv, gboolean *as_json, GError **error)
{
  const GOptionEntry entries[] = {
    { "json", 'j', 0, G_OPTION_ARG_NONE, as_json, "Print one JSON array", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (
      context,
      "Lists the formats of which there are thumbnails: those that are decoded here, built "
      "in or\nby modules, and those that the programs of other .thumbnailer entries make, "
      "and\nspecialised thumbnailers of the service that runs, each with its MIME types.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc <= 1)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "No argument is taken: “%s”", argv[1]);
  return FALSE;
}

int
ctl_formats (int argc, char **argv)
{
  gboolean as_json = FALSE;
  g_autoptr (GError) error = NULL;

  g_set_prgname ("thimblectl formats");
  if (parse (argc, argv, &as_json, &error))
    return run (as_json);
  fprintf (stderr, "thimblectl formats: %s\nthimblectl formats --help tells more.\n",
           error->message);
  return CTL_USAGE;
}
