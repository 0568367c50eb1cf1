-- A script for wrk: ends after so many requests, checks each answer, and tells what it found on one line of JSON.
--
--   wrk -t1 -c50 -d60s -s requests.lua http://127.0.0.1:8080/page.php -- 10000 file-with-the-body
--
-- wrk itself ends by time alone, so the time is taken here, and the process ends with the last answer.

local ffi = require("ffi")
ffi.cdef("typedef struct { long s; long ns; } instant; int clock_gettime(int clock, instant *now);")

local CLOCK_MONOTONIC = 1
local requests, left, expected, start, failures, problem = 0, 0, "", 0, 0, ""

local function now()
    local instant = ffi.new("instant")
    ffi.C.clock_gettime(CLOCK_MONOTONIC, instant)
    return tonumber(instant.s) * 1e6 + tonumber(instant.ns) / 1e3
end

local function tell()
    io.write(string.format('{"requests":%d,"microseconds":%.0f,"failures":%d,"problem":"%s"}\n',
        requests - left, now() - start, failures, problem))
    io.flush()
end

function init(arguments)
    requests = tonumber(arguments[1])
    left = requests
    local file = assert(io.open(arguments[2], "rb"))
    expected = file:read("*a")
    file:close()
    start = now()
end

function response(status, headers, body)
    if status ~= 200 or body ~= expected then
        failures = failures + 1
        problem = status ~= 200 and "status " .. status
            or "a wrong body of " .. #body .. " bytes instead of " .. #expected
    end
    left = left - 1
    if left == 0 then
        tell()
        os.exit(0)
    end
end
