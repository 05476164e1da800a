/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Owning bus names, one after the other and all or none. Never waits for the bus, unlike
 * g_bus_unown_name. Knows nothing of the objects behind the names. */
#pragma once

#include <gio/gio.h>

typedef struct _ThNames ThNames;

typedef struct
{
  /* name belongs to somebody else: it was taken at the request, or was lost later. Where the bus
   * refused it for another reason, error says which; else it is NULL. */
  void (*lost) (const char *name, const GError *error, gpointer data);
  /* After th_names_release: no more calls come by name, and all that came have been dispatched. */
  void (*released) (gpointer data);
} ThNamesEvents;

/* names is NULL-terminated and must live as long as the result; the last one is claimed last. */
ThNames *th_names_new (GDBusConnection *connection, const char *const *names,
                       const ThNamesEvents *events, gpointer data);
/* Does not release: what ends the connection does. */
void th_names_free (ThNames *names);

/* Asks for all of them. An owner who allows it is replaced, we do not allow it. */
void th_names_request (ThNames *names);
void th_names_release (ThNames *names);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThNames, th_names_free)
