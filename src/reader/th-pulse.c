/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "reader/th-pulse.h"

#include "wire/th-reader-wire.h"

#define BYTES    (256u * 1024u)
#define INTERVAL (100 * 1000)

void
th_pulse_start (ThPulse *pulse, int socket, guint32 request)
{
  *pulse = (ThPulse){ .socket = socket, .request = request, .sent = g_get_monotonic_time () };
}

void
th_pulse_beat (ThPulse *pulse)
{
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_PROGRESS, pulse->request);
  /* Where nobody is there any more the process ends by that. */
  th_reader_wire_send (pulse->socket, &message, -1, TRUE, NULL);
  pulse->bytes = 0;
  pulse->sent = g_get_monotonic_time ();
}

void
th_pulse_count (ThPulse *pulse, guint64 bytes)
{
  pulse->bytes += bytes;
  if (pulse->bytes >= BYTES || g_get_monotonic_time () - pulse->sent >= INTERVAL)
    th_pulse_beat (pulse);
}
