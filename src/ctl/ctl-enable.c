/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/ctl-enable.h"

#include <gio/gio.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "ctl/ctl-status.h"
#include "ctl/th-activation.h"
#include "ctl/th-link.h"
#include "ctl/th-text.h"

#define DAEMON "thimbled"

/* Both folders are looked at before the system's. */
static const struct
{
  const char *suffix; /* of the files in our folder of data */
  const char *folder; /* below the user's */
  gboolean is_activation;
} places[] = {
  { ".service", "dbus-1/services", TRUE },
  { ".thumbnailer", "thumbnailers", FALSE },
};

typedef struct
{
  gboolean enable;
  char *data;
  GPtrArray *names; /* of files in data */
  guint changed;
  guint failed;
} Change;

static void
change_clear (Change *change)
{
  g_free (change->data);
  g_clear_pointer (&change->names, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Change, change_clear)

static void say (FILE *stream, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
say (FILE *stream, const char *format, ...)
{
  g_autofree char *text = NULL;
  g_autofree char *line = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  line = th_text_for_people (text);
  fprintf (stream, "%s\n", line);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

/* Names of the files in our folder of data, sorted. Caller unrefs. */
static GPtrArray *
list_data (const char *data, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (data, 0, error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (dir == NULL)
    return NULL;
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return g_steal_pointer (&names);
}

/* Two files of one folder for the same name: which of them the bus takes is not defined. */
static gboolean
has_rival (const char *target, const char *folder, const char *entry)
{
  g_autofree char *name = th_activation_value (target, "Name");
  g_autofree char *rival = name != NULL ? th_activation_find (folder, name, entry) : NULL;

  if (rival == NULL)
    return FALSE;
  say (stderr, "thimblectl: “%s” is for %s too and is not of thimble's making; remove it first",
       rival, name);
  return TRUE;
}

static void
apply (Change *change, const char *entry, const char *below, gboolean is_activation)
{
  g_autofree char *target = g_build_filename (change->data, entry, NULL);
  g_autofree char *folder = g_build_filename (g_get_user_data_dir (), below, NULL);
  g_autofree char *path = g_build_filename (folder, entry, NULL);
  g_autoptr (GError) error = NULL;
  ThLinkResult result;

  if (change->enable && is_activation && has_rival (target, folder, entry))
    {
      change->failed++;
      return;
    }
  result =
      change->enable ? th_link_make (target, path, &error) : th_link_remove (target, path, &error);
  if (result == TH_LINK_FAILED)
    say (stderr, "thimblectl: %s", error->message);
  if (result == TH_LINK_CHANGED)
    say (stdout, "%s %s", change->enable ? "added" : "removed", path);
  change->failed += result == TH_LINK_FAILED;
  change->changed += result == TH_LINK_CHANGED;
}

static void
apply_all (Change *change)
{
  for (guint i = 0; i < change->names->len; i++)
    for (gsize place = 0; place < G_N_ELEMENTS (places); place++)
      if (g_str_has_suffix (change->names->pdata[i], places[place].suffix))
        apply (change, change->names->pdata[i], places[place].folder, places[place].is_activation);
}

/* By sudo, files of root's would come into the user's folders. */
static gboolean
is_own_home (void)
{
  g_autofree char *folder = g_strdup (g_get_user_data_dir ());
  struct stat info;

  while (stat (folder, &info) != 0 && g_strcmp0 (folder, "/") != 0)
    {
      char *parent = g_path_get_dirname (folder);

      g_free (folder);
      folder = parent;
    }
  if (info.st_uid == geteuid ())
    return TRUE;
  say (stderr, "thimblectl: “%s” belongs to another user; run this as that user", folder);
  return FALSE;
}

static gboolean
is_ours (const char *program)
{
  g_autofree char *name = g_path_get_basename (program);

  /* As the kernel calls one whose file has been replaced since. */
  return g_strcmp0 (name, DAEMON) == 0 || g_strcmp0 (name, DAEMON " (deleted)") == 0;
}

/* A service of the other kind that runs already stays until it leaves. */
static void
tell_owner (GDBusConnection *bus, const Change *change, const char *entry)
{
  g_autofree char *target = g_build_filename (change->data, entry, NULL);
  g_autofree char *name = th_activation_value (target, "Name");
  guint32 pid = name != NULL ? th_activation_owner (bus, name) : 0;
  g_autofree char *program = pid != 0 ? th_activation_program (pid) : NULL;

  if (program == NULL || is_ours (program) == change->enable)
    return;
  say (stdout, "%s still belongs to %s until that leaves; to end it now: kill %u", name, program,
       pid);
}

/* dbus-daemon takes the home folder from the user database, where we and others go by HOME. */
static void
tell_other_home (void)
{
  const char *data = g_getenv ("XDG_DATA_HOME");
  const struct passwd *user = getpwuid (geteuid ());

  if ((data == NULL || *data == '\0') && user != NULL
      && g_strcmp0 (user->pw_dir, g_get_home_dir ()) != 0)
    say (
        stderr,
        "thimblectl: the session bus looks below “%s”, not below “%s”, unless XDG_DATA_HOME is set "
        "for both",
        user->pw_dir, g_get_home_dir ());
}

static void
tell_bus (const Change *change)
{
  g_autoptr (GDBusConnection) bus = th_activation_bus ();
  g_autoptr (GError) error = NULL;

  if (bus == NULL)
    {
      say (stdout, "There is no session bus here; the next one takes notice.");
      return;
    }
  if (!th_activation_reload (bus, &error))
    say (stderr, "thimblectl: the bus does not read its files again: %s; log in again",
         error->message);
  for (guint i = 0; i < change->names->len; i++)
    if (g_str_has_suffix (change->names->pdata[i], places[0].suffix))
      tell_owner (bus, change, change->names->pdata[i]);
}

static gboolean
parse (int argc, char **argv, const char *summary)
{
  g_autofree char *name = g_strdup_printf ("thimblectl %s", argv[0]);
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_set_prgname (name);
  g_option_context_set_summary (context, summary);
  if (g_option_context_parse (context, &argc, &argv, &error) && argc == 1)
    return TRUE;
  fprintf (stderr, "%s: %s\n%s --help tells more.\n", name,
           error != NULL ? error->message : "It takes no arguments", name);
  return FALSE;
}

static gboolean
find_data (Change *change)
{
  g_autoptr (GError) error = NULL;

  change->data = th_paths_data ();
  change->names = list_data (change->data, &error);
  if (change->names == NULL)
    say (stderr, "thimblectl: thimble is not completely installed: %s", error->message);
  return change->names != NULL;
}

static int
run (gboolean enable)
{
  g_auto (Change) change = { .enable = enable };

  if (!is_own_home () || !find_data (&change))
    return CTL_SOME_FAILED;
  apply_all (&change);
  tell_other_home ();
  if (change.changed == 0 && change.failed == 0)
    say (stdout, "thimble was %s already.", enable ? "enabled" : "disabled");
  tell_bus (&change);
  return change.failed == 0 ? CTL_OK : CTL_SOME_FAILED;
}

int
ctl_enable (int argc, char **argv)
{
  static const char summary[] =
      "Makes the session bus start thimbled for this user, and programs on gnome-desktop call\n"
      "thimble-thumbnailer first, whatever else is installed: adds links to its files in\n"
      "$XDG_DATA_HOME/dbus-1/services and $XDG_DATA_HOME/thumbnailers. Other files stay.";

  return parse (argc, argv, summary) ? run (TRUE) : CTL_USAGE;
}

int
ctl_disable (int argc, char **argv)
{
  static const char summary[] = "Removes what `thimblectl enable` added, and nothing else.";

  return parse (argc, argv, summary) ? run (FALSE) : CTL_USAGE;
}
