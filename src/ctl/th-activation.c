/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-activation.h"

#define BUS      "org.freedesktop.DBus"
#define BUS_PATH "/org/freedesktop/DBus"
#define GROUP    "D-BUS Service"
#define SERVICES "dbus-1/services"
#define SUFFIX   ".service"

/* The bus answers at once or not at all. */
#define PATIENCE_MS 5000

/* GIO would start a bus of its own, which nobody else is on. */
static gboolean
has_bus (void)
{
  g_autofree char *socket = g_build_filename (g_get_user_runtime_dir (), "bus", NULL);

  return g_getenv ("DBUS_SESSION_BUS_ADDRESS") != NULL || g_file_test (socket, G_FILE_TEST_EXISTS);
}

GDBusConnection *
th_activation_bus (void)
{
  return has_bus () ? g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL) : NULL;
}

static GVariant *
ask (GDBusConnection *bus, const char *method, GVariant *arguments, const char *type,
     GError **error)
{
  return g_dbus_connection_call_sync (bus, BUS, BUS_PATH, BUS, method, arguments,
                                      type != NULL ? G_VARIANT_TYPE (type) : NULL,
                                      G_DBUS_CALL_FLAGS_NONE, PATIENCE_MS, NULL, error);
}

gboolean
th_activation_reload (GDBusConnection *bus, GError **error)
{
  g_autoptr (GVariant) reply = ask (bus, "ReloadConfig", NULL, NULL, error);

  return reply != NULL;
}

guint32
th_activation_owner (GDBusConnection *bus, const char *name)
{
  g_autoptr (GVariant) reply =
      ask (bus, "GetConnectionUnixProcessID", g_variant_new ("(s)", name), "(u)", NULL);
  guint32 pid = 0;

  if (reply != NULL)
    g_variant_get (reply, "(u)", &pid);
  return pid;
}

char *
th_activation_program (guint32 pid)
{
  g_autofree char *link = g_strdup_printf ("/proc/%u/exe", pid);
  char *program = g_file_read_link (link, NULL);

  return program != NULL ? program : g_strdup_printf ("process %u", pid);
}

char *
th_activation_value (const char *file, const char *key)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();

  if (!g_key_file_load_from_file (keys, file, G_KEY_FILE_NONE, NULL))
    return NULL;
  return g_key_file_get_string (keys, GROUP, key, NULL);
}

char *
th_activation_find (const char *folder, const char *name, const char *except)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *entry;

  while (dir != NULL && (entry = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, entry, NULL);
      g_autofree char *declared =
          g_str_has_suffix (entry, SUFFIX) ? th_activation_value (path, "Name") : NULL;

      if (g_strcmp0 (declared, name) == 0 && g_strcmp0 (entry, except) != 0)
        return g_steal_pointer (&path);
    }
  return NULL;
}

static char *
find_below (const char *root, const char *name)
{
  g_autofree char *folder = g_build_filename (root, SERVICES, NULL);

  return th_activation_find (folder, name, NULL);
}

char *
th_activation_first (const char *name)
{
  const char *const *roots = g_get_system_data_dirs ();
  char *found = find_below (g_get_user_runtime_dir (), name);

  if (found == NULL)
    found = find_below (g_get_user_data_dir (), name);
  for (; found == NULL && *roots != NULL; roots++)
    found = find_below (*roots, name);
  return found;
}
