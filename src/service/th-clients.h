/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which connection asked for which request, and which have left the bus. Knows nothing of what is
 * asked for. */
#pragma once

#include <gio/gio.h>

/* A caller that leaves within so many ms of its latest request never meant to hear of it. */
#define TH_CLIENTS_BRIEF_MS 2000u

typedef struct _ThClients ThClients;

/* A caller has left the bus. brief: before it could have meant to hear of this request of its. */
typedef void (*ThClientsLeft) (guint32 handle, gboolean brief, gpointer data);

ThClients *th_clients_new (GDBusConnection *connection, guint brief_ms, ThClientsLeft left,
                           gpointer data);
void th_clients_free (ThClients *clients);

/* name is the unique name of the connection that handle belongs to. */
void th_clients_add (ThClients *clients, guint32 handle, const char *name);
/* Ends the membership of handle; one that is unknown is ignored. */
void th_clients_remove (ThClients *clients, guint32 handle);
/* The unique name to send signals of handle to; NULL where it is unknown or has left. */
const char *th_clients_owner (const ThClients *clients, guint32 handle);
/* All handles, as guint32. Caller unrefs. */
GArray *th_clients_handles (const ThClients *clients);
/* Whether there is none. */
gboolean th_clients_is_empty (const ThClients *clients);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThClients, th_clients_free)
