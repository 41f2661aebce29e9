// Prints what an assembly that mcs compiled with -debug says: types, methods, and calls with their lines.
// mcs -r:Mono.Cecil.dll -r:Mono.CompilerServices.SymbolWriter.dll; see truth_csharp.py, which compiles and runs it.
using System;
using System.Collections.Generic;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.CompilerServices.SymbolWriter;

static class Calls
{
    static readonly Dictionary<MethodDefinition, MethodEntry> entries = new Dictionary<MethodDefinition, MethodEntry>();

    static void Row(params object[] fields)
    {
        Console.WriteLine(string.Join("\t", fields));
    }

    static LineNumberEntry[] Lines(MethodDefinition method)
    {
        MethodEntry entry;
        var none = new LineNumberEntry[0];
        return entries.TryGetValue(method, out entry) ? entry.GetLineNumberTable().LineNumbers : none;
    }

    static string FileOf(MethodDefinition method)
    {
        MethodEntry entry;
        return entries.TryGetValue(method, out entry) ? entry.CompileUnit.SourceFile.FileName : "";
    }

    static int First(MethodDefinition method)
    {
        return Lines(method).Where(l => !l.IsHidden && l.Row > 0).Select(l => l.Row).FirstOrDefault();
    }

    static string Name(TypeReference type)
    {
        return type == null ? "" : type.GetElementType().FullName;
    }

    static void Type(TypeDefinition type)
    {
        Row("T", Name(type), Name(type.BaseType), string.Join(",", type.Interfaces.Select(i => Name(i.InterfaceType))));
        foreach (var method in type.Methods)
        {
            Row("M", Name(type), method.Name, FileOf(method), First(method),
                method.IsVirtual && !method.IsNewSlot ? "override" : "");
            if (method.HasBody)
                Body(method);
        }
        foreach (var nested in type.NestedTypes)
            Type(nested);
    }

    static void Body(MethodDefinition method)
    {
        var lines = Lines(method);
        foreach (var instruction in method.Body.Instructions)
        {
            var called = instruction.Operand as MethodReference;
            if (called == null || instruction.OpCode.FlowControl != FlowControl.Call)
                continue;
            var line = lines.LastOrDefault(l => l.Offset <= instruction.Offset && !l.IsHidden && l.Row > 0);
            if (line == null)
                continue;
            var isOurs = called.DeclaringType.GetElementType().Scope == (IMetadataScope) method.Module;
            var meant = isOurs ? called.Resolve() : null;
            Row("C", FileOf(method), line.Row, instruction.OpCode.Name, Name(called.DeclaringType), called.Name,
                isOurs ? "ours" : "", meant == null ? "" : FileOf(meant), meant == null ? 0 : First(meant));
        }
    }

    static void Main(string[] arguments)
    {
        var module = ModuleDefinition.ReadModule(arguments[0]);
        var symbols = MonoSymbolFile.ReadSymbolFile(arguments[0] + ".mdb");
        foreach (var type in module.GetTypes())
            foreach (var method in type.Methods)
            {
                var entry = symbols.GetMethodByToken(method.MetadataToken.ToInt32());
                if (entry != null)
                    entries[method] = entry;
            }
        foreach (var type in module.Types)
            Type(type);
    }
}
