"""Names that Haskell brings along."""

from __future__ import annotations

from sightline.languages.library import words

BUILTINS = words(
    """
    abs all and any appendFile ceiling concat concatMap const cos curry cycle div drop dropWhile either elem enumFrom
    error even exp filter flip floor fmap foldl foldMap foldr fromEnum fromInteger fromIntegral fst gcd getLine head
    id
    init interact ioError iterate last lcm length lex lines log lookup map mapM mapM_ mappend max maxBound maximum
    maybe mconcat mempty min minBound minimum mod negate not notElem null odd or otherwise pred print product pure
    putStr putStrLn quot read readFile readLn rem repeat replicate return reverse round scanl scanr seq sequence
    sequence_ show showString shows sin snd span splitAt sqrt subtract succ sum tail take takeWhile toEnum toInteger
    traverse truncate uncurry undefined unlines until unwords unzip userError when words writeFile zip zip3 zipWith
    Just Nothing Left Right True False liftA2 forM forM_ unless void liftIO lift
    """
)
