local procedures = {}
function procedures.create() end
return procedures
