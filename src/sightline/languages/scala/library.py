"""Names that Scala brings along."""

from __future__ import annotations

from sightline.languages.kotlin.library import COMMON_MEMBERS as KOTLIN_MEMBERS
from sightline.languages.library import words

BUILTINS = words(
    """
    Some None Left Right Nil List Map Set Seq Vector Array Option Future Try Success Failure println print assert
    require implicitly summon sys classOf identity locally synchronized Tuple2 String Int Iterator LazyList Stream
    """
)
COMMON_MEMBERS = KOTLIN_MEMBERS | words(
    """
    andThen apply asInstanceOf bimap combine combineAll compose compareTo collectFirst contains corresponds cross
    dropRight eqv exists filterNot find flatMap flatTap foldLeft foldMap foldRight forall foreach getClass getOrElse
    groupMap handleError handleErrorWith headOption indexWhere isDefined isDefinedAt isInstanceOf isLeft isRight
    iterator lastOption leftMap lift map2 mapN mapK mkString nonEmpty orElse partitionMap product productL productR
    pure pureEval raiseError recover recoverWith reduceLeft scanLeft sequence sliding some span stripMargin
    stripPrefix stripSuffix sumBy swap tailRecM takeRight tapEach toArray toEither toOption toRight toSeq toVector
    traverse tupled unapply unsafeRunSync unzip updated view void withFilter zipWithIndex
    """
)
