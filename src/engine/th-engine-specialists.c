/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-engine-private.h"

void
th_engine_set_specialists (ThEngine *engine, const ThSpecialistCaller *caller)
{
  engine->check_tools.specialist_caller = *caller;
}

ThSpecialists *
th_engine_specialists (ThEngine *engine)
{
  return engine->specialists;
}
