/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking a service that runs, by its own interface; none is ever started for it. */
#pragma once

#include <gio/gio.h>

typedef enum
{
  TH_SERVICE_NO_BUS,
  TH_SERVICE_NOBODY,  /* nobody makes thumbnails at the moment */
  TH_SERVICE_FOREIGN, /* another program does, or a version that cannot tell */
  TH_SERVICE_SILENT,  /* no answer in time */
  TH_SERVICE_TOLD,
} ThServiceAnswer;

/* *status: a dictionary (see the interface's description), which the caller unrefs; NULL unless
 * TOLD. bus may be NULL. */
ThServiceAnswer th_service_status (GDBusConnection *bus, GVariant **status);
/* The same for the list of specialised thumbnailers. */
ThServiceAnswer th_service_specialists (GDBusConnection *bus, GVariant **specialists);
/* A stable word for it: "no-bus" … "told". */
const char *th_service_word (ThServiceAnswer answer);
/* For people. */
const char *th_service_describe (ThServiceAnswer answer);
