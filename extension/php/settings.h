/* The settings larder.* of php.ini. */
#ifndef LARDER_SETTINGS_H
#define LARDER_SETTINGS_H

void settings_register(int type, int module_number);

#endif
