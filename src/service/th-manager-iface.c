/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-manager-iface.h"

#include "dbus/th-dbus.h"

#define INTERFACE   "org.freedesktop.thumbnails.Manager1"
#define OBJECT_PATH "/org/freedesktop/thumbnails/Manager1"

struct _ThManagerIface
{
  GDBusConnection *connection;
  ThDBusManager1 *object;
  ThSpecialists *specialists;
  ThIdle *idle;
  guint filter;
  GHashTable *watches; /* unique name → its watch */
};

static void
unwatch (gpointer watch)
{
  g_bus_unwatch_name (GPOINTER_TO_UINT (watch));
}

/* What has registered keeps the service: it would be forgotten with it. */
static void
on_vanished (GDBusConnection *connection, const char *name, gpointer data)
{
  ThManagerIface *iface = data;

  th_specialists_forget (iface->specialists, name);
  if (g_hash_table_remove (iface->watches, name))
    th_idle_release (iface->idle);
}

static void
watch_owner (ThManagerIface *iface, const char *name)
{
  guint watch;

  if (g_hash_table_contains (iface->watches, name))
    return;
  th_idle_hold (iface->idle);
  /* Also reports a name that is gone already. */
  watch = g_bus_watch_name_on_connection (iface->connection, name, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                          NULL, on_vanished, iface, NULL);
  g_hash_table_insert (iface->watches, g_strdup (name), GUINT_TO_POINTER (watch));
}

static gboolean
on_handle_register (ThDBusManager1 *object, GDBusMethodInvocation *invocation,
                    const char *const *schemes, const char *const *mime_types, gpointer data)
{
  ThManagerIface *iface = data;
  const char *owner = g_dbus_method_invocation_get_sender (invocation);
  g_autoptr (GError) error = NULL;

  th_idle_touch (iface->idle);
  if (!th_specialists_register (iface->specialists, owner, schemes, mime_types, &error))
    {
      g_dbus_method_invocation_return_error_literal (invocation, G_DBUS_ERROR,
                                                     G_DBUS_ERROR_INVALID_ARGS, error->message);
      return TRUE;
    }
  watch_owner (iface, owner);
  th_dbus_manager1_complete_register (object, invocation);
  return TRUE;
}

static gboolean
is_plain_register (GDBusMessage *message)
{
  return g_dbus_message_get_message_type (message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL
         && g_strcmp0 (g_dbus_message_get_member (message), "Register") == 0
         && g_strcmp0 (g_dbus_message_get_interface (message), INTERFACE) == 0
         && g_strcmp0 (g_dbus_message_get_signature (message), "ss") == 0;
}

/* tumbler's introspection says that both are plain strings: whoever believed that is understood. In
 * the connection's thread. */
static GDBusMessage *
on_message (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer unused)
{
  GDBusMessage *other;
  const char *scheme, *type;

  if (!incoming || !is_plain_register (message))
    return message;
  other = g_dbus_message_copy (message, NULL);
  if (other == NULL)
    return message;
  g_variant_get (g_dbus_message_get_body (message), "(&s&s)", &scheme, &type);
  g_dbus_message_set_body (other, g_variant_new ("(^as^as)", (const char *const[]){ scheme, NULL },
                                                 (const char *const[]){ type, NULL }));
  g_object_unref (message);
  return other;
}

ThManagerIface *
th_manager_iface_new (GDBusConnection *connection, ThSpecialists *specialists, ThIdle *idle,
                      GError **error)
{
  g_autoptr (ThManagerIface) iface = g_new0 (ThManagerIface, 1);

  iface->connection = g_object_ref (connection);
  iface->specialists = specialists;
  iface->idle = idle;
  iface->watches = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, unwatch);
  iface->object = th_dbus_manager1_skeleton_new ();
  iface->filter = g_dbus_connection_add_filter (connection, on_message, NULL, NULL);
  g_signal_connect (iface->object, "handle-register", G_CALLBACK (on_handle_register), iface);
  if (!g_dbus_interface_skeleton_export (G_DBUS_INTERFACE_SKELETON (iface->object), connection,
                                         OBJECT_PATH, error))
    return NULL;
  return g_steal_pointer (&iface);
}

void
th_manager_iface_let_go (ThManagerIface *iface)
{
  guint n = g_hash_table_size (iface->watches);

  g_hash_table_remove_all (iface->watches);
  while (n-- > 0)
    th_idle_release (iface->idle);
}

void
th_manager_iface_free (ThManagerIface *iface)
{
  g_signal_handlers_disconnect_by_data (iface->object, iface);
  g_dbus_connection_remove_filter (iface->connection, iface->filter);
  if (g_dbus_interface_skeleton_get_connection (G_DBUS_INTERFACE_SKELETON (iface->object)) != NULL)
    g_dbus_interface_skeleton_unexport (G_DBUS_INTERFACE_SKELETON (iface->object));
  g_object_unref (iface->object);
  g_hash_table_unref (iface->watches);
  g_object_unref (iface->connection);
  g_free (iface);
}
