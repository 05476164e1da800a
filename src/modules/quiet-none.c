/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/quiet.h"

/* A file that the library complains of counts as one that it crashed on. */
gboolean
th_quiet_prepare (void)
{
  return TRUE;
}
