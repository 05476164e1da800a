/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Telling whoever waits that a request gets on. Knows no file. */
#pragma once

#include <glib.h>

typedef struct
{
  int socket;
  guint32 request;
  guint64 bytes; /* since the last message */
  gint64 sent;   /* monotonic time of it */
} ThPulse;

void th_pulse_start (ThPulse *pulse, int socket, guint32 request);
/* A step was made. */
void th_pulse_beat (ThPulse *pulse);
/* So many bytes were read: said when enough of them or of time has gathered. */
void th_pulse_count (ThPulse *pulse, guint64 bytes);
