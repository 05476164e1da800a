/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the service says of itself, as text and as JSON. Believes no key to be there. */
#pragma once

#include "ctl/th-json.h"

/* status: the dictionary of GetStatus. Lines with line feeds. Caller frees. */
char *th_tell_status (GVariant *status);
/* Members of the object that is open. */
void th_tell_status_json (ThJson *json, GVariant *status);
