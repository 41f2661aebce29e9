"""Names that PowerShell brings along; a command with one of its verbs and nouns is its own."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    param using process begin end Write-Host Write-Verbose Write-Output Write-Error Write-Warning Write-Debug
    Write-Information Write-Progress Out-Null Out-File Out-String Get-Item Get-ChildItem Get-Content Set-Content
    Add-Content New-Item Remove-Item Copy-Item Move-Item Rename-Item Test-Path Join-Path Split-Path Resolve-Path
    Convert-Path Get-Location Set-Location Push-Location Pop-Location Get-Command Get-Module Import-Module
    Remove-Module Export-ModuleMember Get-Variable Set-Variable New-Variable Remove-Variable New-Object Add-Member
    Select-Object Where-Object ForEach-Object Sort-Object Group-Object Measure-Object Compare-Object Tee-Object
    Format-Table Format-List ConvertTo-Json ConvertFrom-Json ConvertTo-Xml Select-String Start-Process Stop-Process
    Get-Process Start-Sleep Get-Date Invoke-Expression Invoke-Command Invoke-WebRequest Invoke-RestMethod Get-Member
    Add-Type Get-Random Set-StrictMode Read-Host Test-Connection echo cd ls dir rm cp mv cat git dotnet
    Describe Context It BeforeAll AfterAll BeforeEach AfterEach Should Mock InModuleScope BeforeDiscovery
    """
)
COMMON_MEMBERS = EVERYWHERE | words("ToString Add Remove Contains Count GetType Invoke Dispose Split Replace Trim new")
