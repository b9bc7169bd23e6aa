import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The options for a listing of names of an app.
struct NamesOptions: ParsableArguments {
    @OptionGroup var app: AppOption

    @Option(help: ArgumentHelp("Only names that begin with this.", valueName: "text"))
    var prefix = ""
}
