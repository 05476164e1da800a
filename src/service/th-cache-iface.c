/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-cache-iface.h"

#include "dbus/th-dbus.h"

#define OBJECT_PATH "/org/freedesktop/thumbnails/Cache1"

struct _ThCacheIface
{
  ThDBusCache1 *object;
  ThEngine *engine;
  ThIdle *idle;
};

typedef void (*Complete) (ThDBusCache1 *object, GDBusMethodInvocation *invocation);

/* One that has not been answered. */
typedef struct
{
  ThCacheIface *iface;
  GDBusMethodInvocation *invocation;
  Complete complete;
} Call;

static void
on_done (gboolean complete, gpointer data)
{
  Call *call = data;
  ThCacheIface *iface = call->iface;

  if (complete)
    call->complete (iface->object, call->invocation);
  else
    g_dbus_method_invocation_return_error_literal (
        call->invocation, G_DBUS_ERROR, G_DBUS_ERROR_FAILED, "The service is shutting down");
  g_free (call);
  th_idle_release (iface->idle);
}

static Call *
begin (ThCacheIface *iface, GDBusMethodInvocation *invocation, Complete complete)
{
  Call *call = g_new (Call, 1);

  *call = (Call){ iface, invocation, complete };
  th_idle_hold (iface->idle);
  return call;
}

static gboolean
check_pairs (ThCacheIface *iface, GDBusMethodInvocation *invocation, const char *const *from,
             const char *const *to)
{
  if (g_strv_length ((char **) from) == g_strv_length ((char **) to))
    return TRUE;
  th_idle_touch (iface->idle);
  g_dbus_method_invocation_return_error_literal (invocation, G_DBUS_ERROR, G_DBUS_ERROR_FAILED,
                                                 "The two lists of URIs differ in length");
  return FALSE;
}

static gboolean
on_handle_move (ThDBusCache1 *object, GDBusMethodInvocation *invocation, const char *const *from,
                const char *const *to, gpointer data)
{
  ThCacheIface *iface = data;

  if (check_pairs (iface, invocation, from, to))
    th_engine_cache_move (iface->engine, from, to, g_strv_length ((char **) from), on_done,
                          begin (iface, invocation, th_dbus_cache1_complete_move));
  return TRUE;
}

static gboolean
on_handle_copy (ThDBusCache1 *object, GDBusMethodInvocation *invocation, const char *const *from,
                const char *const *to, gpointer data)
{
  ThCacheIface *iface = data;

  if (check_pairs (iface, invocation, from, to))
    th_engine_cache_copy (iface->engine, from, to, g_strv_length ((char **) from), on_done,
                          begin (iface, invocation, th_dbus_cache1_complete_copy));
  return TRUE;
}

static gboolean
on_handle_delete (ThDBusCache1 *object, GDBusMethodInvocation *invocation, const char *const *uris,
                  gpointer data)
{
  ThCacheIface *iface = data;

  th_engine_cache_delete (iface->engine, uris, g_strv_length ((char **) uris), on_done,
                          begin (iface, invocation, th_dbus_cache1_complete_delete));
  return TRUE;
}

static gboolean
on_handle_cleanup (ThDBusCache1 *object, GDBusMethodInvocation *invocation,
                   const char *const *base_uris, guint32 since, gpointer data)
{
  ThCacheIface *iface = data;

  th_engine_cache_cleanup (iface->engine, base_uris, g_strv_length ((char **) base_uris), since,
                           on_done, begin (iface, invocation, th_dbus_cache1_complete_cleanup));
  return TRUE;
}

static const struct
{
  const char *signal;
  GCallback handler;
} handlers[] = {
  { "handle-move", G_CALLBACK (on_handle_move) },
  { "handle-copy", G_CALLBACK (on_handle_copy) },
  { "handle-delete", G_CALLBACK (on_handle_delete) },
  { "handle-cleanup", G_CALLBACK (on_handle_cleanup) },
};

ThCacheIface *
th_cache_iface_new (GDBusConnection *connection, ThEngine *engine, ThIdle *idle, GError **error)
{
  g_autoptr (ThCacheIface) iface = g_new0 (ThCacheIface, 1);

  iface->engine = engine;
  iface->idle = idle;
  iface->object = th_dbus_cache1_skeleton_new ();
  for (guint i = 0; i < G_N_ELEMENTS (handlers); i++)
    g_signal_connect (iface->object, handlers[i].signal, handlers[i].handler, iface);
  if (!g_dbus_interface_skeleton_export (G_DBUS_INTERFACE_SKELETON (iface->object), connection,
                                         OBJECT_PATH, error))
    return NULL;
  return g_steal_pointer (&iface);
}

void
th_cache_iface_free (ThCacheIface *iface)
{
  g_signal_handlers_disconnect_by_data (iface->object, iface);
  if (g_dbus_interface_skeleton_get_connection (G_DBUS_INTERFACE_SKELETON (iface->object)) != NULL)
    g_dbus_interface_skeleton_unexport (G_DBUS_INTERFACE_SKELETON (iface->object));
  g_object_unref (iface->object);
  g_free (iface);
}
